#include "rewrite/pipeline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>

#include "rewrite/bodies.h"
#include "rewrite/cost.h"

namespace vouch {
namespace {

// What has nothing more to do in a graph until something changes it.
struct Settled {
  std::size_t passes = 0;          // a bit for each `Pass`
  std::optional<PhaseSet> phases;  // of the rules
};

class Pipeline {
 public:
  // What all graphs of a model have together.
  struct Common {
    std::set<const Graph*> settled;  // bodies in which nothing is left to do
    ContentHashes hashes;
    CostModel costs;
  };

  Pipeline(Graph& graph, const RuleSet& rules, const OptimizeOptions& options, Trace* trace, Common& common, BodyPath path = {})
      : graph_(graph),
        set_(rules),
        rules_(rules.rules()),
        options_(options),
        trace_(trace),
        limits_(fold_limits(graph)),
        common_(common),
        path_(std::move(path)) {
    result_.rewriting.fired.resize(rules_.size());
  }

  OptimizeResult run() {
    constexpr PhaseSet kMain = phase_bit(Phase::Main);
    constexpr PhaseSet kAll = kMain | phase_bit(Phase::Late);
    pass(Pass::RemoveDead);  // it would stand in the way of rules that count readers
    if (has_phase(Phase::First)) {
      settle(phase_bit(Phase::First));
    }
    settle(kMain);
    try_roots(kMain);
    settle(kAll);
    if (has_phase(Phase::Enter)) {
      take_detour(kAll);
    }
    if (options_.unpack) {
      unpack(kAll);
    }
    if (has_phase(Phase::Leave)) {  // what the model itself has of these operators
      std::size_t steps = result_.rewriting.steps;
      settle(phase_bit(Phase::Leave));
      result_.left = result_.rewriting.steps != steps;
    }
    pass(Pass::RemoveDead);
    if (trace_ != nullptr && trace_->hashed && path_.empty()) {
      trace_->end = state_hash(graph_);
    }
    std::vector<Refusal>& refusals = result_.rewriting.refusals;
    refusals.insert(refusals.end(), body_refusals_.begin(), body_refusals_.end());
    return std::move(result_);
  }

 private:
  bool has_phase(Phase phase) const {
    return std::any_of(rules_.begin(), rules_.end(), [&](const Rule& rule) { return rule.phase == phase; });
  }

  void settle(PhaseSet phases) {
    constexpr std::size_t kMostRounds = 64;
    std::size_t rounds = 0;
    for (bool changed = true; changed && result_.rewriting.cycle.empty(); ++rounds) {
      std::vector<std::size_t> before = result_.rewriting.fired;
      changed = round(phases);
      if (rounds >= kMostRounds && result_.rewriting.cycle.empty()) {  // without rules, passes end
        result_.rewriting.cycle = still_firing(before);
      }
    }
    result_.rounds += rounds;
  }

  // Empty if no rule fired since.
  std::string still_firing(const std::vector<std::size_t>& before) const {
    std::set<std::string> names;
    for (std::size_t r = 0; r < rules_.size(); ++r) {
      if (result_.rewriting.fired[r] != before[r]) {
        names.insert(rules_[r].name);
      }
    }
    return names.empty() ? std::string()
                         : fmt::format("the rules do not end, passes give back what they match: {}", fmt::join(names, ", "));
  }

  // Where no rule wants the root of a constant, folding gives the constant back: nothing has changed then.
  void try_roots(PhaseSet phases) {
    std::size_t steps_before = trace_ != nullptr ? trace_->steps.size() : 0;
    Graph before = graph_;
    OptimizeResult result_before = result_;
    Settled settled_before = settled_;
    if (!options_.fold || pass(Pass::UnfoldRoots) == 0) {
      return;
    }
    if (rewrite_once(phases) != 0) {
      return settle(phases);
    }
    graph_ = std::move(before);
    settled_ = settled_before;
    result_ = std::move(result_before);
    if (trace_ != nullptr) {
      trace_->steps.resize(steps_before);
    }
  }

  void unpack(PhaseSet phases) {
    std::size_t unpacked = pass(Pass::UnpackParameters);
    result_.folded += unpacked;
    if (unpacked != 0) {
      settle(phases);
    }
  }

  void take_detour(PhaseSet phases) {
    Graph before = graph_;
    OptimizeResult result_before = result_;
    std::size_t steps_before = trace_ != nullptr ? trace_->steps.size() : 0;
    double cost = common_.costs.of_graph(graph_).total();
    settle(phases | phase_bit(Phase::Enter));
    settle(phase_bit(Phase::Leave));
    settle(phases);
    double now = common_.costs.of_graph(graph_).total();
    if (!result_.rewriting.cycle.empty() || now < cost) {
      return;
    }
    graph_ = std::move(before);
    settled_ = {};
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
    return rewrite_once(phases) + inlined + projections + merged + folded + rewrite_bodies() != 0;
  }

  // Each body once: it changes by nothing else.
  std::size_t rewrite_bodies() {
    std::size_t changed = 0;
    for (const BodyPlace& place : rewritable_bodies(graph_)) {
      const Graph* body = body_at(graph_, place);
      if (result_.rewriting.cycle.empty() && common_.settled.insert(body).second) {
        changed += rewrite_body(place, *body) ? 1 : 0;
      }
    }
    return changed;
  }

  bool rewrite_body(const BodyPlace& place, const Graph& before) {
    auto body = std::make_shared<Graph>(before);
    BodyPath path = path_;
    path.push_back(place);
    std::size_t steps_before = trace_ != nullptr ? trace_->steps.size() : 0;
    OptimizeResult inner = Pipeline(*body, set_, options_, trace_, common_, path).run();
    for (Refusal& refusal : inner.rewriting.refusals) {
      refusal.node = place_text(graph_, place) + "/" + refusal.node;
      body_refusals_.push_back(std::move(refusal));
    }
    if (!inner.rewriting.cycle.empty()) {
      result_.rewriting.cycle = place_text(graph_, place) + ": " + inner.rewriting.cycle;
      return false;
    }
    if (!inner.changed || !same_interface(before, *body)) {
      if (trace_ != nullptr) {
        trace_->steps.resize(steps_before);
      }
      return false;
    }
    add(inner);
    common_.settled.insert(body.get());
    graph_.set_body(place.call, Symbol(place.attribute), std::move(body));
    settled_ = {};
    return true;
  }

  void add(const OptimizeResult& inner) {
    for (std::size_t r = 0; r < rules_.size(); ++r) {
      result_.rewriting.fired[r] += inner.rewriting.fired[r];
    }
    result_.rewriting.steps += inner.rewriting.steps;
    result_.rewriting.sweeps += inner.rewriting.sweeps;
    result_.folded += inner.folded;
    result_.merged += inner.merged;
    result_.changed = true;
  }

  std::size_t pass(Pass pass) {
    std::size_t bit = std::size_t{1} << static_cast<unsigned>(pass);
    if ((settled_.passes & bit) != 0) {
      return 0;
    }
    std::size_t changes = run_pass(graph_, pass, limits_);
    if (changes != 0) {
      settled_ = {};
    } else {
      settled_.passes |= bit;
    }
    if (trace_ != nullptr && changes != 0) {
      trace_->steps.emplace_back(PassStep{pass, changes, path_});
    }
    result_.changed |= changes != 0;
    return changes;
  }

  std::size_t rewrite_once(PhaseSet phases) {
    if (settled_.phases == phases) {
      return 0;
    }
    RewriteOptions options;
    options.admissions = options_.admissions;
    options.on_progress = options_.on_progress;
    options.phases = phases;
    // What is brought up to date, and what leaves, has to, since it has no other form in what is written; what it costs a detour
    // counts as a whole.
    options.apply.costs = &common_.costs;
    bool has_to = phases == phase_bit(Phase::First) || phases == phase_bit(Phase::Leave);
    options.apply.worth = options_.allow_cost || has_to ? Worth::WhatRulesSay : Worth::NoMoreThanNow;
    if (trace_ != nullptr) {
      options.on_step = [&](const RewriteStep& step) {
        TraceStep recorded = trace_step(graph_, rules_, step, trace_->hashed ? &common_.hashes : nullptr);
        recorded.body = path_;
        trace_->steps.emplace_back(std::move(recorded));
      };
    }
    RewriteResult now = rewrite(graph_, set_, options);
    RewriteResult& all = result_.rewriting;
    for (std::size_t r = 0; r < rules_.size(); ++r) {
      all.fired[r] += now.fired[r];
    }
    all.steps += now.steps;
    result_.changed |= now.steps != 0;
    all.sweeps += now.sweeps;
    all.cycle = std::move(now.cycle);
    all.refusals = std::move(now.refusals);
    if (now.steps != 0) {
      settled_ = {};
    }
    settled_.phases = phases;
    return now.steps;
  }

  Graph& graph_;
  const RuleSet& set_;
  const std::vector<Rule>& rules_;
  const OptimizeOptions& options_;
  Trace* trace_;
  FoldLimits limits_;
  OptimizeResult result_;
  Settled settled_;
  std::vector<Refusal> body_refusals_;
  Common& common_;
  BodyPath path_;
};

}  // namespace

OptimizeResult optimize(Graph& graph, const RuleSet& rules, const OptimizeOptions& options, Trace* trace) {
  Pipeline::Common common;
  return Pipeline(graph, rules, options, trace, common).run();
}

OptimizeResult optimize(Graph& graph, const std::vector<Rule>& rules, const OptimizeOptions& options, Trace* trace) {
  return optimize(graph, RuleSet(rules), options, trace);
}

}  // namespace vouch
