// The trace of a run: what each step did, enough to do it again without searching, and to check it against the rules.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "graph/graph.h"
#include "rewrite/bodies.h"
#include "rewrite/engine.h"
#include "rewrite/fold.h"
#include "rule/print.h"
#include "support/diagnostic.h"

namespace vouch {

// The passes between rewrites that need no rule (rewrite/cleanup.h, rewrite/fold.h, graph/inline_if.h, rewrite/unfold.h).
enum class Pass : std::uint8_t {
  InlineIfs,
  ForwardProjections,
  MergeCommon,
  FoldParameters,
  UnpackParameters,
  UnfoldRoots,
  RemoveDead
};
std::string_view pass_name(Pass pass);
std::optional<Pass> find_pass(std::string_view name);
std::size_t run_pass(Graph& graph, Pass pass, const FoldLimits& limits, const FoldWatch& watch = {});  // how much it changed

// One step. Nodes are named by id: ids are given in order of creation, so a replay on the same graph gives the same ones.
struct TraceStep {
  std::string rule;                          // its name
  std::string rule_hash;                     // of its content
  std::string verdict;                       // what let it fire (`AdmittedMatch::grounds`); in a file, what the file says
  std::vector<NodeId> outputs;               // the matched outputs
  std::vector<std::uint32_t> output_counts;  // how many of them each output of the rule has
  std::vector<std::string> output_names;
  std::vector<std::pair<PatternId, NodeId>> nodes;  // pattern outside of variadics to node, in matching order
  // Per instance of a variadic, in the order in which they were opened: variadic, outer instance (0: none), templates.
  struct Instance {
    PatternId variadic = kNone;
    std::uint32_t outer = 0;
    std::vector<NodeId> templates;
  };
  std::vector<Instance> instances;
  std::vector<std::string> operators;  // per operator variable, by name
  AxisNumbers axis_numbers;            // per role of axes
  struct NewNode {
    NodeId id = kNoNode;
    std::string form;  // `MatMul {…} (3, 7) : float32[2, 3]`
  };
  std::vector<NewNode> new_nodes;  // with their attribute values
  std::vector<NodeId> results;
  BodyPath body = {};  // in which graph
};

struct PassStep {
  Pass pass = Pass::RemoveDead;
  std::size_t changes = 0;
  BodyPath body = {};
};

using AnyStep = std::variant<TraceStep, PassStep>;
const BodyPath& body_of(const AnyStep& step);

struct Trace {
  std::vector<AnyStep> steps;
  std::string end;     // `state_hash` of the graph after the last step
  bool hashed = true;  // whoever records may leave hashes out of a trace that nobody will replay: they read all parameters
};

// Of every live node with its form and operands, the graphs within it, and of the outputs by name.
std::string state_hash(const Graph& graph);

// What a step did, for `RewriteOptions::on_step`; without `hashes`, not of which text its rule was.
TraceStep trace_step(const Graph& graph, const std::vector<Rule>& rules, const RewriteStep& step, ContentHashes* hashes);

// Is shown what a replay looks at as it is done. `before`: a step's graph as it was; nodes of both graphs have the same ids.
struct ReplayWatch {
  FoldWatch on_fold = {};
  std::function<void(const Graph& before, const Graph& after, const RewriteStep& step)> on_step = {};
  // Of steps and passes of the graph itself, not of graphs within it. `step` is null for a pass.
  std::function<void(const Graph& before, const Graph& after, const RewriteStep* step, Pass pass)> on_change = {};
};

// Does every step again on a graph like the one the trace began with: the rule is found by name and must have the same hash, the
// recorded match must be a match (it is checked, not searched) and is admitted anew, new nodes and results must come out as
// recorded, and the graph at the end. What the trace says of verdicts is not looked at: `done` has what let each step fire now.
// False with an error that names the step; the graph is then as it was after the steps before.
bool replay(Graph& graph, const std::vector<Rule>& rules, const Trace& trace, const Admissions& admissions, Trace& done,
            Diagnostics& diagnostics, const ReplayWatch& watch = {});
// The steps alone, where they are only the first ones of a trace: they must come out as recorded, and no end is asked for.
bool replay_steps(Graph& graph, const std::vector<Rule>& rules, const std::vector<AnyStep>& steps, const Admissions& admissions,
                  Trace& done, Diagnostics& diagnostics, const ReplayWatch& watch = {});

}  // namespace vouch
