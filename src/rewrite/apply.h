// Rewriting: building a rule's target over a match (the mapping semantics PE-* of the thesis, figure pat_map) and putting it
// in the place of the matched outputs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "rewrite/admission.h"
#include "rewrite/cost.h"

namespace vouch {

struct Application {
  std::vector<NodeId> results;    // per matched output, what stands there now
  std::vector<NodeId> new_nodes;  // in order of creation
};

// What a rewrite has to be worth.
enum class Worth : std::uint8_t {
  Anything,       // fires whatever it costs
  WhatRulesSay,   // a rule that says what it saves has to save it
  NoMoreThanNow,  // and the model may not cost more than before
};

struct ApplyOptions {
  bool memoise = true;  // remember closed attribute expressions by identity (section 4.5)
  Worth worth = Worth::Anything;
  CostModel* costs = nullptr;  // which remembers what it worked out; null: one of its own
};

// Applies matches to one graph; holds scratch space that is reused.
class Applier {
 public:
  Applier(Graph& graph, const ApplyOptions& options);
  ~Applier();
  Applier(Applier&&) noexcept;

  // Changes the graph, or leaves it as it was, says why in `error` and returns null: an attribute without value, an ill-typed
  // call, a result whose type differs from that of the output it would replace, a target that changes nothing.
  // So do a rewrite that is not worth what the options ask for, and one that would ruin floats (float_loss.h).
  // New nodes refer to what was matched, also where an output stays a part of its replacement. Valid until the next call.
  const Application* apply(const AdmittedMatch& admitted, std::string& error);
  // Of the last application: takes away what nobody reads, which of several outputs may be one that only the match itself read.
  // It would stand in the way of rules that ask who reads a value.
  void drop_unread();
  // By how much the model's cost would change; the graph is left as it was. Nothing, and why, where `apply` would do nothing.
  std::optional<Cost> change(const AdmittedMatch& admitted, std::string& error);

 private:
  bool build(const AdmittedMatch& admitted, std::string& error);
  bool is_worth_it(const AdmittedMatch& admitted);
  CostModel& costs() { return options_.costs != nullptr ? *options_.costs : own_costs_; }
  bool is_lossless(const AdmittedMatch& admitted);

  ApplyOptions options_;
  CostModel own_costs_;
  std::unique_ptr<class TargetBuilder> builder_;
  std::unique_ptr<class FloatLoss> losses_;
};

}  // namespace vouch
