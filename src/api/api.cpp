#include <algorithm>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>

#include "api/vouch.h"
#include "check/check.h"
#include "driver/equiv_report.h"
#include "driver/model.h"
#include "driver/optimize_summary.h"
#include "driver/shipped.h"
#include "equiv/equiv.h"
#include "io/onnx_evaluate.h"
#include "optimize/gate.h"
#include "optimize/verdict_store.h"
#include "refute/show.h"
#include "rewrite/pipeline.h"
#include "rule/parse.h"
#include "rule/print.h"
#include "support/parallel.h"

namespace vouch::api {

struct Rules::Impl {
  explicit Impl(std::vector<Rule> all) : rules(std::move(all)) {}

  // What optimising needs of them, had once: verdicts that were looked up for one model serve the next, and so does what a gate
  // made of them. A gate serves one thread at a time.
  struct Firing {
    std::vector<Rule> rules;
    std::unique_ptr<const RuleSet> compiled = {};
    VerdictStore verdicts = {};
    std::vector<std::unique_ptr<Gate>> idle_gates = {};
    std::mutex of_gates = {};

    std::unique_ptr<Gate> take_gate() {
      std::lock_guard lock(of_gates);
      if (idle_gates.empty()) {
        return std::make_unique<Gate>(rules, verdicts);
      }
      auto gate = std::move(idle_gates.back());
      idle_gates.pop_back();
      return gate;
    }
    void give_back(std::unique_ptr<Gate> gate) {
      std::lock_guard lock(of_gates);
      idle_gates.push_back(std::move(gate));
    }
  };
  Firing& firing() const {
    std::call_once(had_, [&] {
      firing_ = std::make_unique<Firing>();
      std::copy_if(rules.begin(), rules.end(), std::back_inserter(firing_->rules),
                   [](const Rule& rule) { return !is_expected_wrong(rule); });
      firing_->compiled = std::make_unique<const RuleSet>(firing_->rules);
    });
    return *firing_;
  }

  std::vector<Rule> rules;

 private:
  mutable std::once_flag had_;
  mutable std::unique_ptr<Firing> firing_;
};

struct Model::Impl {
  OnnxModel model;
};

namespace {

// What was asked for, or an error with all that was said.
template <class T>
T had(std::optional<T> found, const Diagnostics& diagnostics) {
  if (!found || diagnostics.has_errors()) {
    throw Error(diagnostics.text());
  }
  return std::move(*found);
}

Rules made(std::vector<Rule> rules) { return Rules(std::make_shared<const Rules::Impl>(std::move(rules))); }

Checked checked(const Rule& rule, const CheckOptions& wanted) {
  vouch::CheckOptions options;
  options.instances.max_rank = wanted.max_rank;
  options.seed = wanted.seed;
  RuleVerdict found = check_rule(rule, options);
  return {found.rule, static_cast<Verdict>(found.verdict), found.reason,
          found.counterexample ? show_counterexample(*found.counterexample, rule) : std::string(), found.milliseconds};
}

}  // namespace

static_assert(static_cast<int>(Verdict::SoundExact) == static_cast<int>(vouch::Verdict::SoundExact) &&
              static_cast<int>(Verdict::SoundReal) == static_cast<int>(vouch::Verdict::SoundReal) &&
              static_cast<int>(Verdict::Unsound) == static_cast<int>(vouch::Verdict::Unsound) &&
              static_cast<int>(Verdict::IllTyped) == static_cast<int>(vouch::Verdict::IllTyped) &&
              static_cast<int>(Verdict::Vacuous) == static_cast<int>(vouch::Verdict::Vacuous) &&
              static_cast<int>(Verdict::Unknown) == static_cast<int>(vouch::Verdict::Unknown));
static_assert(static_cast<int>(Equality::EqualExact) == static_cast<int>(EquivVerdict::EqualExact) &&
              static_cast<int>(Equality::EqualReal) == static_cast<int>(EquivVerdict::EqualReal) &&
              static_cast<int>(Equality::Different) == static_cast<int>(EquivVerdict::Different) &&
              static_cast<int>(Equality::Open) == static_cast<int>(EquivVerdict::Open) &&
              static_cast<int>(Equality::Mismatched) == static_cast<int>(EquivVerdict::Mismatched));

std::string version() { return VOUCH_VERSION; }

Error::Error(const std::string& text) : std::runtime_error(text) {}
Error::~Error() = default;

std::string name(Verdict verdict) { return std::string(verdict_name(static_cast<vouch::Verdict>(verdict))); }
bool is_sound(Verdict verdict) { return vouch::is_sound(static_cast<vouch::Verdict>(verdict)); }

Rules::Rules(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

Rules Rules::load(const std::vector<std::string>& paths) {
  Diagnostics diagnostics;
  return made(had(load_rules(paths, diagnostics), diagnostics));
}

Rules Rules::parse(const std::string& text, const std::string& file) {
  Diagnostics diagnostics;
  return made(had(parse_rules(std::make_shared<Source>(file, text), diagnostics), diagnostics));
}

Rules Rules::shipped() {
  Diagnostics diagnostics;
  return made(had(load_named_or_shipped({}, diagnostics), diagnostics));
}

std::size_t Rules::size() const { return impl_->rules.size(); }

std::vector<std::string> Rules::names() const {
  std::vector<std::string> all;
  std::transform(impl_->rules.begin(), impl_->rules.end(), std::back_inserter(all), [](const Rule& rule) { return rule.name; });
  return all;
}

std::string Rules::text() const {
  std::string all;
  for (const Rule& rule : impl_->rules) {
    all += print_rule(rule) + "\n";
  }
  return all;
}

std::vector<Checked> Rules::check(const CheckOptions& options) const {
  constexpr unsigned kMostRank = 8;
  if (options.max_rank > kMostRank) {
    throw Error("max_rank: expected at most 8, found " + std::to_string(options.max_rank));
  }
  std::vector<Checked> all(size());
  for_all(size(), options.jobs, [&](std::size_t k) { all[k] = checked(impl_->rules[k], options); });
  return all;
}

Model::Model(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

Model Model::load(const std::string& path) {
  Diagnostics diagnostics;
  return Model(std::make_shared<const Impl>(Impl{had(load_model(path, diagnostics), diagnostics)}));
}

void Model::save(const std::string& path) const {
  Diagnostics diagnostics;
  const OnnxModel& model = impl_->model;
  if (!save_model(model.graph, model.name, path, diagnostics, {model.kept.get(), {}, false})) {
    throw Error(diagnostics.text());
  }
}

std::vector<std::string> Model::inputs() const {
  const Graph& graph = impl_->model.graph;
  std::vector<std::string> all;
  for (NodeId input : graph.inputs()) {
    all.emplace_back(graph.name(input));
  }
  return all;
}

std::vector<std::string> Model::outputs() const {
  std::vector<std::string> all;
  for (const GraphOutput& output : impl_->model.graph.outputs()) {
    all.emplace_back(output.name);
  }
  return all;
}

std::size_t Model::calls() const { return call_count(calls_by_operator(impl_->model.graph)); }

Optimized Model::optimize(const Rules& rules) const {
  Rules::Impl::Firing& firing = rules.impl().firing();
  const std::vector<Rule>& usable = firing.rules;
  OnnxModel model = impl_->model;
  auto gate = firing.take_gate();
  OptimizeOptions options;
  options.admissions = gate->admissions();
  RewriteResult found = vouch::optimize(model.graph, *firing.compiled, options).rewriting;
  firing.give_back(std::move(gate));
  if (!found.cycle.empty()) {
    throw Error(found.cycle);
  }
  Optimized out{Model(std::make_shared<const Impl>(Impl{std::move(model)})), {}, {}};
  for (std::size_t k = 0; k < usable.size(); ++k) {
    if (found.fired[k] != 0) {
      out.fired.emplace_back(usable[k].name, found.fired[k]);
    }
  }
  for (const Refusal& refusal : found.refusals) {
    out.refused.push_back(usable[refusal.rule].name + " did not fire at '" + refusal.node + "': " + refusal.reason);
  }
  return out;
}

Judgement compare(const Model& a, const Model& b) {
  EquivOptions options;
  options.pairing.foreign = evaluate_onnx;
  EquivResult result = compare_models(a.impl().model.graph, b.impl().model.graph, options);
  return {static_cast<Equality>(result.verdict), equiv_text(result)};
}

}  // namespace vouch::api
