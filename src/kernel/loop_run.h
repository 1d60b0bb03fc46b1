// Runs loop programs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernel/loop_program.h"

namespace vouch {

// Where results go: lane `l` of outer point p at position offset + (sum of p's coordinates * strides) + l.
struct Destination {
  DType dtype = DType::Float64;
  std::span<std::byte> bytes;
  std::int64_t offset = 0;
};

// The state of one run; several may run one program at once. Tensors are in the order of the program's table.
class LoopRun {
 public:
  LoopRun(const LoopProgram& program, std::span<const Tensor> tensors);

  // Outer points [outer_begin, outer_end) in row-major order, lanes [lane_begin, lane_end) of each. False: a check
  // failed, and `failure` says which.
  bool run(std::int64_t outer_begin, std::int64_t outer_end, std::int64_t lane_begin, std::int64_t lane_end,
           const Destination& destination);
  // For one outer point whose leading coordinates are given; the trailing axes run through all their values.
  bool run_inner(std::span<const std::int64_t> leading, std::int64_t lane_begin, std::int64_t lane_end,
                 const Destination& destination);
  const std::string& failure() const { return failure_; }

 private:
  void set_outer(std::int64_t point);
  void set_lanes();
  bool execute(std::size_t scope);
  bool step(const Instruction& instruction);
  bool loop(const Instruction& instruction);
  bool check_range(const Instruction& instruction);
  bool divide(const Instruction& instruction);
  bool index_of_real(const Instruction& instruction);
  void integer_step(const Instruction& instruction);
  void compare_step(const Instruction& instruction);
  void real_step(const Instruction& instruction);
  void function_step(const Instruction& instruction);
  void load(const Instruction& instruction);
  void reset(const Instruction& instruction);
  void accumulate(const Instruction& instruction);
  void store(const Destination& destination, std::int64_t position);
  bool fail(const Instruction& instruction, std::string message);

  bool uniform(std::uint32_t at) const { return at == kNone || program_.registers[at].uniform; }
  std::int64_t* integers(std::uint32_t at) { return integers_.data() + program_.registers[at].offset; }
  double* reals(std::uint32_t at) { return reals_.data() + program_.registers[at].offset; }
  // Lanes that an instruction writes.
  std::int64_t width(std::uint32_t at) const { return uniform(at) ? 1 : lanes_; }

  template <class T, class R, class F>
  void map(const Instruction& instruction, F f);
  template <class T, class R, class F>
  void map_one(const Instruction& instruction, F f);
  template <class T, class R>
  void load_as(const Instruction& instruction, const T* data);
  template <class T>
  T* lanes_of(std::uint32_t at);

  const LoopProgram& program_;
  std::span<const Tensor> tensors_;
  std::vector<std::int64_t> integers_;
  std::vector<double> reals_;
  std::int64_t lane_begin_ = 0;  // of the block
  std::int64_t lanes_ = 0;       // in the block
  std::int64_t outer_offset_ = 0;
  bool skipped_ = false;         // the loop's step was left by Continue
  std::string failure_;
};

}  // namespace vouch
