// Are outputs further apart than folding and rounding can explain?
#pragma once

#include <optional>

#include "equiv/fold_tolerance.h"
#include "equiv/settled.h"
#include "equiv/wide_run.h"

namespace vouch {

// Where two outputs are told apart.
struct Divergence {
  std::size_t output = 0;  // of the pair
  std::size_t round = 0;
  std::int64_t position = 0;  // the element, in row-major order
  double a = 0;               // its values, in double precision
  double b = 0;
  // Not empty: the second model gives no value there, and why.
  std::string failure;
};

// What a small relative change of the parameters makes of an output is measured: less than ten times that may be what folding
// did. Parameters that no fold can have changed are changed as little as float64 rounds; all as much as a fold may, if a call
// computes with fewer digits. Then ten times what the models' own digits make of it is allowed, too.
class OutputComparison {
 public:
  // `parameter_change`: what a folded parameter may be off.
  OutputComparison(const ModelPair& pair, FoldTolerance parameter_change) : pair_(pair), parameter_change_(parameter_change) {}

  // What congruent nodes are read as, and whether the pair's graph is run in float64.
  void use(std::vector<NodeId> stand_ins, bool computes_narrow);
  // From now on elements without a finite value in one model tell nothing: inputs are large, and float64 is exceeded where the
  // real numbers are not.
  void ignore_overflow() { ignores_overflow_ = true; }
  // `outputs`: the first model's and the second's, in turns. `least`: what counts, relative to the largest element of an output.
  std::optional<Divergence> compare(const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs, double least);
  // Of what was found last: relative to the largest element.
  double relative() const { return relative_; }
  // Prints of the changed models on the inputs compared last, by the pair's nodes; empty if they were not run.
  const std::vector<Fingerprint>& changed_prints() const { return changed_prints_; }

 private:
  struct Apart {
    double worst = 0;
    double scale = 0;
    std::int64_t at = 0;
  };
  Apart apart(const Tensor& a, const Tensor& b) const;
  static double most_apart(const Tensor& a, const Tensor& b);
  double allowed(std::size_t output, const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs);
  void run_changed(const std::vector<Tensor>& inputs);
  void make_changed();

  const ModelPair& pair_;
  FoldTolerance parameter_change_;
  std::vector<NodeId> stand_ins_;
  bool narrow_ = true;
  bool ignores_overflow_ = false;
  std::optional<WideGraph> changed_graph_;
  bool made_ = false;
  bool ran_ = false;  // on the inputs that are compared
  Outputs changed_;
  std::optional<WideGraph> plain_graph_;  // the pair in its own digits, if a call computes with fewer
  Outputs plain_;
  std::vector<Fingerprint> changed_prints_;
  double relative_ = 0;
};

}  // namespace vouch
