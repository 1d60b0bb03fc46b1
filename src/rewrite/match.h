// Matching a rule's source against a graph: the single-output algorithm (alg:single_match), the bidirectional algorithm for
// several and variadic outputs (alg:multi_match, section 4.3), condition 4 of the definition of graph substitution.
//
// Beyond the thesis: operands of commutative operators match in either order (by backtracking, not by more rules);
// alternatives and conditionals; backtracking over all outputs together with the conditions. The map is injective on vertices
// that are no inputs; inputs of a rule may meet in one node (a rule that holds for all values holds for equal ones).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "rewrite/plan.h"
#include "rule/ast.h"
#include "rule/attr_eval.h"

namespace vouch {

// What a source pattern was matched to. Frame 0 holds the patterns outside of variadics; each instance of a variadic is a
// frame of its own that binds the variadic's templates.
struct Match {
  struct Frame {
    PatternId variadic = kNone;
    std::uint32_t outer = 0;  // the frame that the variadic was matched in
    std::uint32_t index = 0;
    std::uint32_t first_cell = 0;
  };
  struct Cell {  // of one template in one instance
    NodeId node = kNoNode;
    std::uint32_t list = kNone;  // of a nested variadic
  };

  std::vector<NodeId> nodes;         // per pattern of frame 0; kNoNode if not matched, or a template. May be longer.
  std::vector<std::uint32_t> lists;  // per variadic of frame 0: position in `instances`, or kNone
  std::vector<std::vector<std::uint32_t>> instances;  // frames of one variadic in one outer frame, in order
  std::vector<Frame> frames;
  std::vector<Cell> cells;
  std::vector<OpId> operators;  // per operator variable of the plan, or kNoOperator
  AxisNumbers axis_numbers;     // per role of the rule
  // The matched outputs in order; a variadic output contributes one for each branch, which `output_counts` says.
  std::vector<NodeId> outputs;
  std::vector<std::uint32_t> output_counts;
  std::vector<NodeId> inside;  // every matched node that is no input, in matching order

  // kNoNode and null where nothing is bound.
  NodeId find(const RulePlan& plan, PatternId pattern, std::uint32_t frame = 0) const;
  const std::vector<std::uint32_t>* instances_of(const RulePlan& plan, PatternId variadic, std::uint32_t frame = 0) const;
  // The nearest frame at or around `frame` that binds this variadic's templates, or kNone.
  std::uint32_t frame_of(PatternId variadic, std::uint32_t frame) const;
};

// Why a match failed, for why-not.
struct MatchFailure {
  PatternId pattern = kNone;  // where it failed
  NodeId node = kNoNode;      // against this node
  AttrId attribute = kNone;   // the attribute expression or condition that did not hold
  std::string expected;
  std::string found;
  std::size_t matched = 0;  // patterns matched before
};

// Searches one graph for any rules. Holds scratch space that is reused between attempts; follows changes of the graph.
class Matcher {
 public:
  explicit Matcher(const Graph& graph);
  ~Matcher();
  Matcher(Matcher&&) noexcept;

  // A match whose first output is this node, or null. Valid until the next attempt.
  const Match* match_at(const RulePlan& plan, NodeId first_output);

  // Forgets what failed before. At the beginning of a sweep; between sweeps changes of the graph could have made it match.
  void begin_sweep();
  // A node that was added since the sweep began may be another output of a match.
  void note_new_node(NodeId node);

  // Off by default: reasons cost time. The best partial match of the last attempt is the one that matched most.
  void explain(bool on);
  const MatchFailure& best_failure() const;
  // What the best partial match had bound in frame 0.
  const std::vector<NodeId>& best_nodes() const;

 private:
  std::unique_ptr<class MatchMachine> machine_;
};

// The attributes of what a match found, for evaluating attribute expressions.
class MatchedAttributes : public AttrSource {
 public:
  MatchedAttributes(const Graph& graph, const RulePlan* plan, const Match& match) : graph_(graph), plan_(plan), match_(match) {}
  // Expressions are evaluated within this instance of a variadic.
  void set_frame(std::uint32_t frame) { frame_ = frame; }
  void set_plan(const RulePlan& plan) { plan_ = &plan; }
  std::optional<AttrValue> access(PatternId pattern, Symbol name, const SymbolEnv& symbols) const override;
  const AxisNumbers* axis_numbers() const override { return &match_.axis_numbers; }
  std::optional<Term> any_element(PatternId constant) const override;
  std::optional<Term> of_every_element(PatternId constant, Term element, Term condition) const override;
  // The node that an instance pattern stands for (PM-Inst, PE-Inst), or kNoNode.
  NodeId instance(PatternId pattern, const SymbolEnv& symbols) const;

 private:
  std::uint32_t instance_frame(PatternId pattern, const SymbolEnv& symbols) const;

  const Graph& graph_;
  const RulePlan* plan_;
  const Match& match_;
  std::uint32_t frame_ = 0;
};

// The value of a node's attribute: `shape`, `rank`, `dtype`, `value`, `length`, `index`, or the operator's, defaults filled in.
std::optional<AttrValue> node_attribute(const Graph& graph, NodeId node, Symbol name);
// The operator's attribute or its default, in place; null for derived ones.
const AttrValue* own_attribute(const Graph& graph, NodeId node, Symbol name);
// The call does not give this attribute, or says what its absence means.
bool leaves_out(const Graph& graph, NodeId call, Symbol name);
// All elements of a constant of at most one axis are this number.
bool holds_only(const Tensor& value, const AttrValue& number);

}  // namespace vouch
