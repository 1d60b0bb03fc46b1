// Kernel statements as compiled loop programs: what the reference interpreter runs.
//
// A program computes one statement block by block: a block is up to `kLanes` consecutive elements of the target in row-major
// order. Every subterm of the statement becomes one instruction on registers that hold a value per lane, or one value if it is
// the same for all lanes (*uniform*). Instructions stand in the loop of the innermost index that they depend on, so that
// nothing is computed again inside a reduction that does not change there; reduction indices that conditions mention are
// outermost for the same reason. A select becomes a mask under which reads and divisions are suppressed.
//
// Scalars are double, or int64 where every tensor that takes part holds integers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernel/kernel.h"
#include "tensor/tensor.h"

namespace vouch {

inline constexpr std::int64_t kLanes = 256;

enum class LoopOp : std::uint8_t {
  // integers and indices: registers of int64
  Set,
  AddI,
  MulI,
  ScaleI,
  FloorDivI,
  FloorModI,
  MinI,
  MaxI,
  SelectI,
  OfReal,
  NegI,
  AbsI,
  SignI,
  TruncDivI,
  TruncModI,
  // masks: registers of int64, 0 or 1
  LeI,
  EqI,
  LtF,
  LeF,
  EqF,
  And,
  Or,
  Not,
  // scalars: registers of double
  SetF,
  OfInt,
  AddF,
  SubF,
  MulF,
  DivF,
  NegF,
  CallF,
  SelectF,
  // memory: `a` the flat address, `b` the mask or kNoRegister
  ReadF,
  ReadI,
  CheckIndex,
  // a loop over one reduction
  Reduce,
};

using Register = std::uint32_t;
inline constexpr Register kNoRegister = 0xffffffffU;

struct LoopInstr {
  LoopOp op;
  Fn fn = Fn::Exp;
  bool uniform = true;  // one value for all lanes
  Register out = kNoRegister;
  Register a = kNoRegister;
  Register b = kNoRegister;
  Register c = kNoRegister;
  std::int64_t number = 0;  // constant, factor, axis, extent, tensor, reduction
  double real = 0;
};

// Instructions to run in order; those inside a reduction stand in its own blocks, one for each index, outermost first.
struct LoopBlock {
  std::vector<LoopInstr> code;
};

struct ReduceLoop {
  Reduction reduction = Reduction::Sum;
  bool integral = false;
  std::vector<Register> index;  // one per bound index, outermost first
  std::vector<std::int64_t> extents;
  std::vector<LoopBlock> levels;  // levels[k]: run after index k has its value
  Register body = kNoRegister;
  Register mask = kNoRegister;  // of the guard, or none
  // The last level is `body = read x * read y` with addresses that step by a constant: run as one loop.
  struct Product {
    bool applies = false;
    std::uint32_t tensor[2] = {0, 0};
    Register address[2] = {kNoRegister, kNoRegister};  // at index 0
    std::int64_t step[2] = {0, 0};
    Register mask = kNoRegister;  // of either read, or none; the same for the whole loop
    int unmasked = 0;             // the side that is read whatever the mask says
  } product;
};

struct LoopProgram {
  std::vector<std::int64_t> extents;  // of the target
  DType dtype = DType::Float32;
  std::vector<Register> outer;         // registers of the target's indices
  std::vector<std::size_t> read_axes;  // of which anything reads the index
  Register position = kNoRegister;     // of the element's row-major position, where an operand is read there
  LoopBlock once;                      // what depends on no index
  LoopBlock block;                     // per block of lanes
  std::vector<ReduceLoop> reductions;
  std::vector<Symbol> tensors;
  std::vector<bool> uniform;  // per register
  Register result = kNoRegister;
  bool integral = false;  // the result register holds int64
  // Some instruction takes more of a uint64 element than what it is modulo 2^64: an order, a quotient, a float.
  bool needs_whole_numbers = false;
};

// What the compiler must know of each tensor that is read.
struct TensorShape {
  DType dtype = DType::Float32;
  std::vector<std::int64_t> extents;
  friend bool operator==(const TensorShape&, const TensorShape&) = default;
};

// `value` has constants for sizes already. Nothing, with `error`, for a term that still has free size variables.
std::optional<LoopProgram> compile_statement(const Statement& statement, DType dtype, const std::vector<std::int64_t>& extents,
                                             const std::unordered_map<Symbol, TensorShape>& tensors, std::string& error);

// Runs the program over elements [begin, end) of the target. False, with `error`, for an index out of range or an integer
// division by zero. Tensors are in the order of `program.tensors`.
bool run_program(const LoopProgram& program, std::span<const Tensor* const> tensors, std::int64_t begin, std::int64_t end,
                 Tensor& target, std::string& error);

}  // namespace vouch
