// The matcher's machine: goals, choices and a trail. Everything that depends on the depth of a pattern or a graph is on
// explicit stacks, and every stack is reused between attempts.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "rewrite/match.h"

namespace vouch {

class MatchMachine {
 public:
  explicit MatchMachine(const Graph& graph) : graph_(graph), attributes_(graph, nullptr, match_) {}

  bool run(const RulePlan& plan, NodeId first_output) {
    return plan.rule->layouts.empty() ? attempt(plan, first_output) : run_by_axes(plan, first_output);
  }
  void begin_sweep() {
    lists_at_.clear();
    lists_.clear();
  }
  void note_new_node(NodeId node);

  Match match_;
  bool explain_ = false;
  MatchFailure best_;
  std::vector<NodeId> best_nodes_;

 private:
  enum class GoalKind : std::uint8_t {
    Match,       // `pattern` against `node`
    Check,       // its parts are matched: bind, then attributes
    Alias,       // an option is matched: bind the alternative or conditional too
    Field,       // item `at` of tuple `node` against a variadic
    BindFirst,   // the named first patterns are instance 0 of a variadic
    Output,      // look for output `at`
    Candidates,  // try candidate `at` of `search` as output
    Arrived,     // output `at` is matched
    Branches,    // try candidate `at` as branch number `count`
    BranchDone,  // keep it: its choices are cut back to `level`
    Finish,      // what holds of the whole match
  };
  struct Goal {
    GoalKind kind = GoalKind::Match;
    PatternId pattern = kNone;
    NodeId node = kNoNode;
    std::uint32_t frame = 0;
    std::uint32_t at = 0;
    std::uint32_t count = 0;
    std::uint32_t search = 0;
    std::uint32_t level = 0;
    std::uint32_t next = kNone;  // in goals_
  };
  struct Choice {
    std::uint32_t goal;
    std::uint32_t goal_count;
    std::uint32_t trail;
  };
  enum class TrailKind : std::uint8_t { Node, Alias, List, Frame, Variable, Output, OutputCount };
  struct Trail {
    TrailKind kind;
    bool inside = false;
    PatternId pattern = kNone;
    NodeId node = kNoNode;
    std::uint32_t frame = 0;
  };
  // Candidates for one output at a node with many uses; kept over attempts, without those that can never match.
  struct CandidateList {
    std::vector<NodeId> nodes;
    std::size_t dropped = 0;
    std::uint32_t first = 0;  // all before are dropped: matches use up a list from its front
    std::uint64_t trials = 0;
  };
  static_assert(sizeof(Goal) <= 40);
  struct ListKey {
    const RulePlan* plan;
    std::uint32_t output;  // twice its number, and one for branches
    NodeId start;
    friend bool operator==(const ListKey&, const ListKey&) = default;
  };
  struct ListKeyHash {
    std::size_t operator()(const ListKey& key) const {
      return (std::hash<const void*>()(key.plan) ^ key.start) * 0x9e3779b97f4a7c15ULL + key.output;
    }
  };
  struct Search {
    CandidateList* kept = nullptr;  // else candidates_[begin, end)
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    bool completed = false;  // the last candidate tried did match, what came after failed
    bool context_free = false;
  };

  // machine.cpp: the loop
  void reset(const RulePlan& plan);
  bool solve();
  bool step(const Goal& goal);
  void push(Goal goal) {
    goal.next = goals_head_;
    goals_.push_back(goal);
    goals_head_ = static_cast<std::uint32_t>(goals_.size() - 1);
  }
  void push_choice() {
    choices_.push_back({goals_head_, static_cast<std::uint32_t>(goals_.size()), static_cast<std::uint32_t>(trail_.size())});
  }
  void undo(std::size_t length);
  NodeId* slot(PatternId pattern, std::uint32_t frame) {
    return plan_->owner[pattern] == kNone ? &match_.nodes[pattern] : template_slot(pattern, frame);
  }
  NodeId* template_slot(PatternId pattern, std::uint32_t frame);
  std::uint32_t* list_slot(PatternId variadic, std::uint32_t frame);
  void bind(PatternId pattern, NodeId node, std::uint32_t frame) {
    *slot(pattern, frame) = node;
    bool inside = !plan_->is_input(pattern);
    if (inside) {
      marks_[node] = mark(kInside);
    }
    trail_.push_back({TrailKind::Node, inside, pattern, node, frame});
    if (plan_->op_variable[pattern] != kNone) {
      bind_operator(plan_->op_variable[pattern], node);
    }
  }
  void bind_operator(std::uint32_t variable, NodeId node);
  bool is_inside(NodeId node) const { return marks_[node] == mark(kInside) || marks_[node] == mark(kOutput); }

  bool attempt(const RulePlan& plan, NodeId first_output);

  // axes.cpp: how many axes each role has
  bool run_by_axes(const RulePlan& plan, NodeId first_output);
  bool has_seen_ranks(const Rule& rule, const AxisNumbers& numbers) const;
  bool step_layout(const Goal& goal);

  // simple.cpp: the quick way
  struct SimplePlace {
    NodeId node = kNoNode;
    bool swapped = false;
  };
  std::optional<bool> run_simple(NodeId first_output);

  // structure.cpp: patterns against nodes
  bool step_match(const Goal& goal);
  bool step_choice_pattern(const Goal& goal);
  bool push_operands(const Goal& goal);
  bool match_wildcard(PatternId pattern, NodeId node, std::uint32_t frame);
  bool fits_head(PatternId pattern, NodeId node, bool quietly);
  bool fits_operator(PatternId pattern, NodeId node, bool quietly);
  bool fits_variable(PatternId pattern, OpId op) const;
  bool is_private_enough(PatternId pattern, NodeId node) const;
  const SymbolEnv& symbols_of(std::uint32_t frame);

  // attributes.cpp
  bool step_check(const Goal& goal);
  bool attribute_matches(const PatternAttr& attr, PatternId pattern, NodeId node, std::uint32_t frame);
  bool constant_matches(AttrId wanted, NodeId node, const SymbolEnv& symbols);
  bool same_attributes(PatternId pattern, NodeId node, std::uint32_t frame);
  std::optional<bool> compares_at_once(const PatternAttr& attr, NodeId node, std::uint32_t frame);

  // outputs.cpp: several outputs
  void start_output(std::uint32_t k, NodeId node, std::uint32_t search);
  bool step_output(const Goal& goal);
  bool step_candidates(const Goal& goal);
  bool step_arrived(const Goal& goal);
  std::uint32_t open_search(std::uint32_t k, bool branches);
  void collect(const std::vector<Route>& routes, bool any_route, std::vector<NodeId>& out);
  void walk(const Route& route, NodeId start, std::vector<NodeId>& out);
  NodeId candidate(Search& search, std::uint32_t& at);
  void drop_failed(Search& search, std::uint32_t at);

  // variadic.cpp: tuples and outputs of any number
  bool step_field(const Goal& goal);
  bool step_bind_first(const Goal& goal);
  bool step_branches(const Goal& goal);
  bool step_branch_done(const Goal& goal);
  std::uint32_t open_list(PatternId variadic, std::uint32_t frame);
  std::uint32_t open_frame(PatternId variadic, std::uint32_t outer);

  // whole.cpp
  bool conditions_hold(std::uint32_t output);
  bool evaluate_conditions(const OutputPlan& output);
  bool step_finish();
  bool inside_is_private();
  bool makes_cycle();

  // explain.cpp
  enum class Why : std::uint8_t {
    Absent,
    Bound,
    Taken,
    Head,
    Operator,
    Variable,
    Operands,
    Shared,
    Instance,
    Undecided,
    Attribute,
    OtherAttributes,
    Condition,
    Axes,
    TooFew,
    NoOutput,
    ModelOutput,
    UsedOutside,
    Cycle,
  };
  bool fail(Why why, PatternId pattern, NodeId node, AttrId attribute = kNone, NodeId other = kNoNode) {
    if (explain_) [[unlikely]] {
      note_failure(why, pattern, node, attribute, other);
    }
    return false;
  }
  void note_failure(Why why, PatternId pattern, NodeId node, AttrId attribute, NodeId other);
  void describe(Why why, MatchFailure& failure, NodeId other);
  void describe_attribute(MatchFailure& failure);

  // What the conditions of an output were at the words that were read last. Neighbouring matches are alike more often than not.
  struct Decided {
    std::uint64_t plan = 0;  // its number
    std::uint32_t output = 0;
    bool hold = false;
    Looks::Words words;
  };

  // Marks are of one attempt: its number, times four, and what the node is in it.
  static constexpr std::uint32_t kInside = 1;
  static constexpr std::uint32_t kOutput = 2;
  static constexpr std::uint32_t kVisited = 3;
  std::uint32_t mark(std::uint32_t state) const { return attempt_ * 4 + state; }

  const Graph& graph_;
  const RulePlan* plan_ = nullptr;
  const Rule* rule_ = nullptr;
  MatchedAttributes attributes_;
  std::vector<Goal> goals_;
  std::uint32_t goals_head_ = kNone;
  std::vector<Choice> choices_;
  std::vector<Trail> trail_;
  std::vector<Search> searches_;
  std::vector<NodeId> candidates_;
  std::vector<std::uint32_t> marks_;
  std::uint32_t attempt_ = 0;
  std::size_t list_count_ = 0;  // of match_.instances in use
  bool conflicted_ = false;     // since the last candidate: a failure that depends on what else is matched
  SymbolEnv symbols_;
  std::unordered_map<ListKey, CandidateList, ListKeyHash> lists_;
  std::unordered_map<NodeId, std::vector<std::pair<ListKey, CandidateList*>>> lists_at_;  // by start
  std::vector<std::pair<std::size_t, NodeId>> walk_;
  std::vector<NodeId> pending_;
  std::vector<SimplePlace> simple_places_;
  std::array<Decided, 64> decided_;
  std::vector<std::vector<std::uint32_t>> ranks_seen_;  // per layout: of the nodes that its pattern was tried at
};

}  // namespace vouch
