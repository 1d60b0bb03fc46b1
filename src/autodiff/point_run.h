// A kernel evaluated exactly, iteration by iteration, and again where elements change.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "notation/tk_kernel.h"
#include "term/eval.h"

namespace vouch {

inline constexpr int kEnclosureBits = 192;  // of the numbers that are not rational

using Elements = std::vector<Enclosure>;                              // row-major
using ChangedElements = std::unordered_map<std::int64_t, Enclosure>;  // by position

// The sum, quickly where both are exact.
std::optional<Enclosure> sum_of(const Enclosure& a, const Enclosure& b);

class PointRun {
 public:
  // Evaluates the whole kernel. `active` are the tensors that may be changed later, with all that depends on them.
  PointRun(const TkKernel& kernel, std::unordered_map<Symbol, Elements> inputs, std::int64_t most_points);
  ~PointRun();

  const std::string& failure() const { return failure_; }  // empty if the kernel was evaluated
  const Elements& values(Symbol tensor) const { return values_.at(tensor); }
  // The elements of all tensors that differ when these inputs have these elements; nothing if an evaluation fails.
  std::optional<std::unordered_map<Symbol, ChangedElements>> again(std::unordered_map<Symbol, ChangedElements> changed);

 private:
  struct Part;
  void run(const TkStatement& statement);
  bool run_part(Part& part, Elements& out);
  std::optional<ExactNumber> read(Symbol tensor, std::span<const std::int64_t> at);
  bool count(std::int64_t points);

  const TkKernel& kernel_;
  std::unordered_map<Symbol, Elements> values_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::string failure_;
  std::int64_t points_left_;
  std::unordered_map<Symbol, Extents> extents_;
  // While a point is evaluated: where its reads are noted, and what they find instead of `values_`.
  Part* noting_ = nullptr;
  std::uint32_t point_ = 0;
  const std::unordered_map<Symbol, ChangedElements>* changed_ = nullptr;
};

}  // namespace vouch
