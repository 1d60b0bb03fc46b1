// Matching a rule's source against a graph: the single-output algorithm (alg:single_match), the bidirectional algorithm for
// several and variadic outputs (alg:multi_match, section 4.3), condition 4 of the definition of graph substitution.
//
// Beyond the thesis: operands of commutative operators match in either order (by backtracking, not by more rules);
// alternatives and conditionals. The map is injective on vertices that are no inputs; inputs of a rule may meet in one node
// (a rule that holds for all values holds for equal ones).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "graph/graph.h"
#include "rule/ast.h"
#include "rule/attr_eval.h"

namespace vouch {

// Bindings of one instance of a variadic's templates, in the order of its `templates`.
struct InstanceMap {
  std::vector<NodeId> nodes;
};

// What a source pattern was matched to.
struct Match {
  std::vector<NodeId> nodes;  // per pattern; kNoNode if not matched, or a template (see `instances`)
  // Per pattern of kind Variadic: its instances; empty for others.
  std::vector<std::vector<InstanceMap>> instances;
  std::vector<NodeId> outputs;   // per source output; a variadic output contributes one for each instance
  std::vector<OpId> operators;   // per pattern of kind Call: the operator of the node
};

// Searches a graph for one rule. Holds scratch space that is reused between attempts; follows changes of the graph.
class Matcher {
 public:
  Matcher(const Graph& graph, const Rule& rule);
  ~Matcher();
  Matcher(Matcher&&) noexcept;

  // A match whose first output is this node, or nothing.
  std::optional<Match> match_at(NodeId first_output);

  // For why-not: the best partial match of the last attempt.
  struct Failure {
    PatternId pattern = kNone;       // where it failed
    NodeId node = kNoNode;           // against this node
    std::string reason;              // expected and found
    std::size_t matched = 0;         // patterns matched before
    AttrId attribute = kNone;        // the attribute expression that did not match
  };
  const Failure& best_failure() const;
  // Off by default: reasons cost time.
  void explain(bool on);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Attribute access through a match: the value of `pattern.name`.
std::optional<AttrValue> access_match(const Graph& graph, const Rule& rule, const Match& match, PatternId pattern,
                                      Symbol name, const SymbolEnv& symbols);

// The attributes of what a match found, for evaluating attribute expressions.
class MatchedAttributes : public AttrSource {
 public:
  MatchedAttributes(const Graph& graph, const Rule& rule, const Match& match)
      : graph_(graph), rule_(rule), match_(match) {}
  std::optional<AttrValue> access(PatternId pattern, Symbol name, const SymbolEnv& symbols) const override;

 private:
  const Graph& graph_;
  const Rule& rule_;
  const Match& match_;
};

// The value of a node's attribute: `shape`, `rank`, `dtype`, `value`, `length`, `index`, or the operator's, defaults filled in.
std::optional<AttrValue> node_attribute(const Graph& graph, NodeId node, Symbol name);

}  // namespace vouch
