#include "rewrite/pipeline.h"

#include <algorithm>

#include "rewrite/cost.h"

namespace vouch {
namespace {

class Pipeline {
 public:
  Pipeline(Graph& graph, const std::vector<Rule>& rules, const OptimizeOptions& options, Trace* trace)
      : graph_(graph), rules_(rules), options_(options), trace_(trace), limits_(fold_limits(graph)) {
    result_.rewriting.fired.resize(rules.size());
  }

  OptimizeResult run() {
    constexpr PhaseSet kMain = phase_bit(Phase::Main);
    constexpr PhaseSet kAll = kMain | phase_bit(Phase::Late);
    settle(kMain);
    settle(kAll);
    if (std::any_of(rules_.begin(), rules_.end(), [](const Rule& rule) { return rule.phase == Phase::Enter; })) {
      take_detour(kAll);
    }
    pass(Pass::RemoveDead);
    if (trace_ != nullptr) {
      trace_->end = state_hash(graph_);
    }
    return std::move(result_);
  }

 private:
  void settle(PhaseSet phases) {
    constexpr std::size_t kMostRounds = 16;
    std::size_t rounds = 0;
    for (bool changed = true; changed && rounds < kMostRounds && result_.rewriting.cycle.empty(); ++rounds) {
      changed = round(phases);
    }
    result_.rounds += rounds;
  }

  void take_detour(PhaseSet phases) {
    CostModel costs;
    Graph before = graph_;
    OptimizeResult result_before = result_;
    std::size_t steps_before = trace_ != nullptr ? trace_->steps.size() : 0;
    double cost = costs.of_graph(graph_).total();
    settle(phases | phase_bit(Phase::Enter));
    settle(phase_bit(Phase::Leave));
    settle(phases);
    double now = costs.of_graph(graph_).total();
    if (!result_.rewriting.cycle.empty() || now < cost) {
      return;
    }
    graph_ = std::move(before);
    std::vector<Refusal> refusals = std::move(result_.rewriting.refusals);
    result_ = std::move(result_before);
    result_.rewriting.refusals = std::move(refusals);
    result_.not_kept = "the rules of phase enter led to nothing that costs less";
    if (trace_ != nullptr) {
      trace_->steps.resize(steps_before);
    }
  }

  bool round(PhaseSet phases) {
    std::size_t inlined = pass(Pass::InlineIfs);
    std::size_t projections = pass(Pass::ForwardProjections);
    std::size_t merged = pass(Pass::MergeCommon);
    std::size_t folded = options_.fold ? pass(Pass::FoldParameters) : 0;
    result_.merged += merged;
    result_.folded += folded;
    return rewrite_once(phases) + inlined + projections + merged + folded != 0;
  }

  std::size_t pass(Pass pass) {
    std::size_t changes = run_pass(graph_, pass, limits_);
    if (trace_ != nullptr && changes != 0) {
      trace_->steps.emplace_back(PassStep{pass, changes});
    }
    return changes;
  }

  std::size_t rewrite_once(PhaseSet phases) {
    RewriteOptions options;
    options.admissions = options_.admissions;
    options.on_progress = options_.on_progress;
    options.phases = phases;
    options.apply.worth = options_.allow_cost ? Worth::WhatRulesSay : Worth::NoMoreThanNow;
    if (trace_ != nullptr) {
      options.on_step = [&](const RewriteStep& step) { trace_->steps.emplace_back(trace_step(graph_, rules_, step)); };
    }
    RewriteResult now = rewrite(graph_, rules_, options);
    RewriteResult& all = result_.rewriting;
    for (std::size_t r = 0; r < rules_.size(); ++r) {
      all.fired[r] += now.fired[r];
    }
    all.steps += now.steps;
    all.sweeps += now.sweeps;
    all.cycle = std::move(now.cycle);
    all.refusals = std::move(now.refusals);
    return now.steps;
  }

  Graph& graph_;
  const std::vector<Rule>& rules_;
  const OptimizeOptions& options_;
  Trace* trace_;
  FoldLimits limits_;
  OptimizeResult result_;
};

}  // namespace

OptimizeResult optimize(Graph& graph, const std::vector<Rule>& rules, const OptimizeOptions& options, Trace* trace) {
  return Pipeline(graph, rules, options, trace).run();
}

}  // namespace vouch
