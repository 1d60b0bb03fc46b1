// The steps of a library's trace as theorems for Coq, at the model's own sizes.
//
// A step says: what the rule's outputs were, and what stands in their place, is the same function of the tensors that both read.
// Both sides are written down from the two graphs, before and after, not from the rule: calls with their own attributes, inputs
// of their own sizes. Coq is asked for each (theorem/coq_export.h): over the reals, for all elements of what is read, but of
// constants that are shown (all of one number; of integers; or few). What has no theorem is left to the solver's proof of the
// rule.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "driver/coq.h"
#include "rewrite/trace.h"
#include "theorem/coq_export.h"

namespace vouch {

// A step with all of its outputs; steps that say the same are one.
struct StepRegion {
  std::set<std::size_t> steps;     // from 0 on, in `StepRegions::rules`
  std::vector<std::string> texts;  // as rules: constants that are shown as few as there can be first
  std::string why;                 // there is none
};

class StepRegions {
 public:
  // For `ReplayWatch::on_step`.
  void add(const Graph& before, const Graph& after, const RewriteStep& step, const std::string& rule);

  const std::vector<std::string>& rules() const { return rules_; }  // the rule of each step
  const std::vector<StepRegion>& regions() const { return regions_; }

 private:
  void add_region(StepRegion region);

  std::vector<std::string> rules_;
  std::vector<StepRegion> regions_;
};

// The first of the region's texts that a proof is found for; without text, with a reason, if none is.
CoqRule step_theorem(const StepRegion& region);

// Of a library's steps, what Coq said.
struct StepsFound {
  std::string folder;
  std::string library;
  std::vector<std::string> rules;
  std::vector<StepRegion> regions;
  std::vector<CoqAnswer> answers;  // of each region
  double seconds = 0;
  bool kept = false;

  // Why a step is no theorem of Coq; empty if it is one.
  std::string why_not(std::size_t step) const;
  std::size_t proven() const;
};

}  // namespace vouch
