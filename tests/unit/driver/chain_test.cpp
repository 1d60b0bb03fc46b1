// Chains of steps as Coq has them: what leads from a graph to another is accepted, and a lie anywhere in it is not.
#include "rewrite/chain.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "driver/chain_coq.h"
#include "driver/coq.h"
#include "graph_call.h"
#include "rewrite/cleanup.h"
#include "rewrite/step_region.h"

namespace vouch {
namespace {

// What a run does to a graph, told to a recorder.
class ToldRun {
 public:
  explicit ToldRun(Graph first) : graph_(std::move(first)), recorder_(graph_) {}

  // `from` is rewritten by what `build` makes; `inside` was matched with it.
  void rewrite(NodeId from, std::vector<NodeId> inside, const std::function<NodeId(Graph&)>& build) {
    Graph before = graph_;
    Match match;
    match.outputs = {from};
    match.inside = std::move(inside);
    Application application{{build(graph_)}, {}};
    graph_.replace_uses(from, application.results[0]);
    RewriteStep step{0, nullptr, &match, &application, nullptr, ""};
    recorder_.on_change(before, graph_, &step, {}, rewrites_++);
  }

  void pass(Pass pass) {
    Graph before = graph_;
    run_pass(graph_, pass, {});
    recorder_.on_change(before, graph_, nullptr, pass, 0);
  }

  // A change that nobody tells of.
  Graph& graph() { return graph_; }
  Chain chain() { return std::move(recorder_).finish(graph_); }

 private:
  Graph graph_;
  ChainRecorder recorder_;
  std::size_t rewrites_ = 0;
};

// y = Relu(Relu(x + w)), z = Relu(x + w) once more and negated, c = w * w, which is known ahead.
struct Example {
  Graph graph;
  NodeId x = kNoNode, w = kNoNode, sum = kNoNode, inner = kNoNode, outer = kNoNode;
};

Example example() {
  Example e;
  e.x = e.graph.add_input("x", Type::tensor(DType::Float32, Extents{2, 3}));
  e.w = e.graph.add_parameter("w", Tensor::of_doubles(DType::Float32, {3}, {{0.5, -1, 4}}));
  e.sum = call_in(e.graph, "Add", {e.x, e.w});
  e.inner = call_in(e.graph, "Relu", {e.sum});
  e.outer = call_in(e.graph, "Relu", {e.inner});
  NodeId again = call_in(e.graph, "Relu", {call_in(e.graph, "Add", {e.x, e.w})});
  e.graph.add_output("y", e.outer);
  e.graph.add_output("z", call_in(e.graph, "Neg", {again}));
  e.graph.add_output("c", call_in(e.graph, "Add", {e.x, call_in(e.graph, "Mul", {e.w, e.w})}));
  return e;
}

Chain full_chain() {
  Example e = example();
  ToldRun run(e.graph);
  run.pass(Pass::MergeCommon);
  run.rewrite(e.outer, {e.outer, e.inner}, [&](Graph& graph) { return call_in(graph, "Relu", {e.sum}); });
  run.pass(Pass::FoldParameters);
  run.pass(Pass::MergeCommon);
  run.pass(Pass::RemoveDead);
  return run.chain();
}

// What is a rewrite's, in both graphs: the theorem's cuts, and the chain's nodes.
TEST(Chain, OneWalkSaysWhatAStepIsAbout) {
  Example e = example();
  Match match;
  match.outputs = {e.outer};
  match.inside = {e.outer, e.inner};
  Graph after = e.graph;
  NodeId two = after.add_constant(Tensor::of_doubles(DType::Float32, {}, {{2}}));
  NodeId made = call_in(after, "Mul", {two, call_in(after, "Relu", {e.sum})});
  Application application{{made}, {}};
  RewriteStep step{0, nullptr, &match, &application, nullptr, ""};
  InsideRegion inside = inside_of(e.graph, step);
  RegionSide before = region_side(e.graph, {e.outer}, inside);
  EXPECT_EQ(before.calls, (std::vector<NodeId>{e.inner, e.outer}));
  EXPECT_EQ(before.reads, std::vector<NodeId>{e.sum});
  RegionSide fresh = region_side(after, {made}, inside);
  EXPECT_EQ(fresh.calls, (std::vector<NodeId>{after.operands(made)[1], made}));
  EXPECT_EQ(fresh.reads, (std::vector<NodeId>{two, e.sum}));
  match.inside = {e.sum};
  RegionSide wider = region_side(e.graph, {e.outer, e.sum}, inside_of(e.graph, step));
  EXPECT_EQ(wider.calls, (std::vector<NodeId>{e.outer, e.sum}));
  EXPECT_EQ(wider.reads, (std::vector<NodeId>{e.inner, e.x, e.w}));
}

template <class T>
std::size_t steps_by(const Chain& chain) {
  auto is = [](const ChainStep& step) { return std::holds_alternative<T>(step.ground); };
  return static_cast<std::size_t>(std::count_if(chain.steps.begin(), chain.steps.end(), is));
}

std::string coq_library() {
  Diagnostics diagnostics;
  auto library = find_coq_library(diagnostics);
  EXPECT_TRUE(library) << diagnostics.text();
  return library.value_or("");
}

TEST(Chain, StepsLeadFromAGraphToWhatIsLeftOfIt) {
  Chain chain = full_chain();
  EXPECT_EQ(chain.why, "");
  EXPECT_EQ(steps_by<ChainRule>(chain), 1U);
  EXPECT_EQ(steps_by<Pass>(chain), 1U);      // w * w
  EXPECT_EQ(steps_by<SameCall>(chain), 3U);  // the second sum, its Relu, and the Relu that the rewrite made
  EXPECT_EQ(chain.last.size(), 6U);          // w, the constant, a sum, a Relu, Neg, the other sum
  EXPECT_EQ(chain.last_outputs.size(), 3U);
  CoqAnswer answer = check_theorems(coq_library(), chain_certificate(chain), {"chained"}, {});
  EXPECT_EQ(answer.word, CoqWord::Holds) << answer.message;
  EXPECT_EQ(answer.axioms, "none");
}

TEST(Chain, AChangeWithoutAStepIsSeen) {
  Example e = example();
  ToldRun run(e.graph);
  run.graph().set_output(0, e.inner);
  EXPECT_EQ(run.chain().why, "an output is not known to be what it was");
  ToldRun other(e.graph);
  other.graph().set_operand(e.inner, 0, e.x);
  EXPECT_NE(other.chain().why, "");
}

// Two draws of a random number are two values, whatever they are called.
TEST(Chain, RandomCallsAreNotOne) {
  Graph graph;
  NodeId x = graph.add_input("x", Type::tensor(DType::Float32, Extents{2}));
  NodeId ratio = graph.add_parameter("ratio", Tensor::of_doubles(DType::Float32, {}, {{0.5}}));
  NodeId training = graph.add_input("training", Type::tensor(DType::Bool, Extents{}));  // whether it draws, nobody knows
  NodeId one = call_in(graph, "Dropout", {x, ratio, training});
  NodeId two = call_in(graph, "Dropout", {x, ratio, training});
  graph.add_output("y", call_in(graph, "Add", {one, two}));
  Graph merged = graph;
  merged.replace_uses(two, one);
  ChainRecorder recorder(graph);
  recorder.on_change(graph, merged, nullptr, Pass::MergeCommon, 0);
  Chain chain = std::move(recorder).finish(merged);
  EXPECT_EQ(steps_by<SameCall>(chain), 0U);
  EXPECT_EQ(steps_by<Pass>(chain), 1U);  // a claim that is shown
}

// Each lie changes one thing, and Coq's boolean is false of all of them.
TEST(Chain, ALieAnywhereIsRefused) {
  const Chain chain = full_chain();
  std::vector<Chain> lies;
  auto lie = [&](const std::function<void(Chain&)>& change) {
    lies.push_back(chain);
    change(lies.back());
  };
  for (auto part : {&Chain::nodes, &Chain::first, &Chain::last}) {
    for (std::size_t k = 0; k < (chain.*part).size(); ++k) {
      lie([&](Chain& c) { (c.*part)[k].symbol += 100; });
      lie([&](Chain& c) { (c.*part)[k].operands.push_back(kFirstChainId); });
      if (!(chain.*part)[k].operands.empty()) {
        lie([&](Chain& c) { (c.*part)[k].operands[0] = (c.*part)[k].id; });
        lie([&](Chain& c) { (c.*part)[k].operands.pop_back(); });
      }
    }
  }
  for (std::size_t k = 0; k < chain.last.size(); ++k) {
    lie([&](Chain& c) { c.last.erase(c.last.begin() + static_cast<std::ptrdiff_t>(k)); });
  }
  for (std::size_t k = 0; k < chain.first.size(); ++k) {
    lie([&](Chain& c) { c.first.erase(c.first.begin() + static_cast<std::ptrdiff_t>(k)); });
  }
  for (std::size_t k = 0; k < chain.steps.size(); ++k) {
    lie([&](Chain& c) { c.steps.erase(c.steps.begin() + static_cast<std::ptrdiff_t>(k)); });
    lie([&](Chain& c) { c.steps[k].to = 99; });
    for (auto part : {&ChainStep::before, &ChainStep::after}) {
      for (std::size_t n = 0; n < (chain.steps[k].*part).size(); ++n) {
        lie([&](Chain& c) { (c.steps[k].*part)[n].symbol += 100; });
        lie([&](Chain& c) { (c.steps[k].*part)[n].operands.push_back(kFirstChainId); });
        lie([&](Chain& c) { (c.steps[k].*part)[n].id = 98; });
      }
    }
  }
  lie([](Chain& c) { std::swap(c.last_outputs[0], c.last_outputs[1]); });
  lie([](Chain& c) { c.last_outputs.pop_back(); });
  lie([](Chain& c) { c.first_outputs.pop_back(); });
  lie([](Chain& c) { std::swap(c.nodes.front(), c.nodes.back()); });
  ASSERT_GT(lies.size(), 100U);

  std::string text;
  for (std::size_t k = 0; k < lies.size(); ++k) {
    std::string one = chain_certificate(lies[k]);
    std::size_t header = one.find("Definition nodes");
    text += k == 0 ? one.substr(0, header) : "";
    one = one.substr(header, one.find("Theorem checked") - header);
    text += fmt::format(
        "Module Lie{0}.\n{1}Theorem refused : chain_ok the_chain = false.\n"
        "Proof. vm_cast_no_check (eq_refl false). Qed.\nEnd Lie{0}.\n",
        k, one);
  }
  CoqAnswer answer = check_theorems(coq_library(), text, {}, {});
  EXPECT_EQ(answer.word, CoqWord::Holds) << answer.message;
}

}  // namespace
}  // namespace vouch
