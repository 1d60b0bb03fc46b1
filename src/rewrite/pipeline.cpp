#include "rewrite/pipeline.h"

namespace vouch {
namespace {

class Pipeline {
 public:
  Pipeline(Graph& graph, const std::vector<Rule>& rules, const OptimizeOptions& options, Trace* trace)
      : graph_(graph), rules_(rules), options_(options), trace_(trace) {
    result_.rewriting.fired.resize(rules.size());
  }

  OptimizeResult run() {
    constexpr std::size_t kMostRounds = 16;
    for (bool changed = true; changed && result_.rounds < kMostRounds && result_.rewriting.cycle.empty();) {
      ++result_.rounds;
      changed = round();
    }
    pass(Pass::RemoveDead);
    if (trace_ != nullptr) {
      trace_->end = state_hash(graph_);
    }
    return std::move(result_);
  }

 private:
  bool round() {
    std::size_t projections = pass(Pass::ForwardProjections);
    std::size_t merged = pass(Pass::MergeCommon);
    std::size_t folded = options_.fold ? pass(Pass::FoldParameters) : 0;
    result_.merged += merged;
    result_.folded += folded;
    return rewrite_once() + projections + merged + folded != 0;
  }

  std::size_t pass(Pass pass) {
    std::size_t changes = run_pass(graph_, pass);
    if (trace_ != nullptr && changes != 0) {
      trace_->steps.emplace_back(PassStep{pass, changes});
    }
    return changes;
  }

  std::size_t rewrite_once() {
    RewriteOptions options;
    options.admissions = options_.admissions;
    options.on_progress = options_.on_progress;
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
  OptimizeResult result_;
};

}  // namespace

OptimizeResult optimize(Graph& graph, const std::vector<Rule>& rules, const OptimizeOptions& options, Trace* trace) {
  return Pipeline(graph, rules, options, trace).run();
}

}  // namespace vouch
