// Elements that are 0 whatever is fed: `u * 0`, `u - u`, and what the operators, as they are defined, make of these. Over the
// reals; what is not seen to be 0 may be.
#pragma once

#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "kernel/kernel.h"
#include "rewrite/known_values.h"
#include "term/eval.h"

namespace vouch {

// A call's definition, and the tensor that each of its inputs is.
struct DefinedCall {
  const Kernel* kernel = nullptr;  // null: it has none
  std::vector<NodeId> operands;
};

// The tensors that a call is given, in the order of its definition's inputs.
std::vector<NodeId> tensor_operands(const Graph& graph, NodeId call);

class Vanishing {
 public:
  using Definition = std::function<DefinedCall(NodeId call)>;
  Vanishing(const Graph& graph, KnownValues& values, Definition definition)
      : graph_(graph), values_(values), definition_(std::move(definition)) {}

  // Some value of the term, in the definition of `call`, may be such a 0: without looking at each element.
  bool may(NodeId call, Term term);
  // The term's value is, at these indices.
  bool is(NodeId call, Term term, const EvalEnvironment& at);
  void forget() { may_be_.clear(); }

 private:
  bool may(const DefinedCall& call, Term term, int depth);
  bool may_element(NodeId node, int depth);
  bool is(const DefinedCall& call, Term term, const EvalEnvironment& at, int depth);
  bool is_element(NodeId node, std::span<const std::int64_t> at, int depth);
  bool is_read(const DefinedCall& call, Term read, const EvalEnvironment& at, int depth);
  bool is_sum(const DefinedCall& call, Term sum, EvalEnvironment at, std::size_t bound, int depth);

  const Graph& graph_;
  KnownValues& values_;
  Definition definition_;
  std::unordered_map<NodeId, bool> may_be_;
  std::int64_t steps_ = 0;  // of one question
};

}  // namespace vouch
