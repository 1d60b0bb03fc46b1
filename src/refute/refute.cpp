#include "refute/refute.h"

#include <algorithm>

#include "instance/excluded_types.h"
#include "refute/concrete.h"
#include "refute/difference.h"
#include "refute/shrink.h"
#include "refute/trial.h"

namespace vouch {
namespace {

// One instance: assignments, and elements for each.
class InstanceRefuter {
 public:
  InstanceRefuter(const Instance& instance, const RefuteOptions& options)
      : instance_(instance), options_(options), search_(instance), random_(options.seed), elements_(options.seed) {}

  Refutation run() {
    Refutation out;
    out.instances = 1;
    out.unsupported = instance_.unsupported;
    if (!out.unsupported.empty()) {
      return out;
    }
    for (int k = 0; k < options_.assignments && !is_strong(best_); ++k) {
      // Sizes of one and two come first; a wider search also meets windows with strides and pads.
      std::int64_t spread = k % 3 == 0 ? 2 : k % 3 == 1 ? 3 : 4;
      auto assignment = search_.find(random_, spread);
      if (!assignment) {
        assignment = search_.find(random_, 2 * spread + 1);
      }
      if (assignment) {
        try_assignment(*assignment, out);
      }
    }
    if (!best_ && narrows_) {
      try_large_sizes(out);
    }
    if (best_) {
      if (options_.shrink) {
        shrink(instance_, search_, options_, random_, *best_);
      }
      out.counterexample = std::move(best_->counterexample);
    }
    return out;
  }

 private:
  static bool is_strong(const std::optional<Found>& found) { return found && found->counterexample.failing != Failing::IllTyped; }

  // A size, a position: a narrow type does not hold every one.
  void try_large_sizes(Refutation& out) {
    constexpr std::int64_t kLarge = 300;
    for (const FreeSymbol& symbol : instance_.symbols) {
      auto assignment = symbol.kind == SymbolKind::Size ? search_.find(random_, 2, {{symbol.name, {kLarge}}}) : std::nullopt;
      if (assignment && !is_strong(best_)) {
        try_assignment(*assignment, out);
      }
    }
  }

  void try_assignment(const Assignment& assignment, Refutation& out) {
    Trial trial(instance_, assignment, options_.most_elements);
    if (!trial.legal()) {
      return;
    }
    ++out.legal;
    narrows_ |= trial.narrows();
    int draws = out.legal == 1 ? options_.first_draws : options_.draws;
    for (int draw = 0; draw < draws; ++draw) {
      Found found = trial.run(trial.draw(static_cast<Draw>(drawn_++ % kDrawCount), elements_, options_.scale));
      out.compared += found.compared;
      out.undefined += found.undefined;
      if (found.failing && (!best_ || found.counterexample.failing != Failing::IllTyped)) {
        best_ = std::move(found);
      }
      if (is_strong(best_) || trial.fails_by_type()) {
        return;
      }
    }
  }

  const Instance& instance_;
  const RefuteOptions& options_;
  AssignmentSearch search_;
  std::mt19937 random_;    // for assignments; and apart from it, so that they do not depend on it,
  std::mt19937 elements_;  // for elements
  int drawn_ = 0;          // every kind of elements has its turn
  bool narrows_ = false;
  std::optional<Found> best_;
};

// A target that is legal and wrong says more than one that is not legal.
bool is_strong(const std::optional<Counterexample>& found) { return found && found->failing != Failing::IllTyped; }

void merge(Refutation& into, Refutation&& from) {
  into.instances += from.instances;
  into.legal += from.legal;
  into.compared += from.compared;
  into.undefined += from.undefined;
  if (into.unsupported.empty()) {
    into.unsupported = std::move(from.unsupported);
  }
  if (from.counterexample && (!into.counterexample || is_strong(from.counterexample))) {
    into.counterexample = std::move(from.counterexample);
  }
}

// A target that is ill-typed for some element types, and well-typed for others, refutes nothing: the rule does not fire for
// these.
class OtherTypes {
 public:
  Refutation judged(const Instance& instance, Refutation found) {
    bool by_types = found.counterexample && !instance.target_error.empty();
    if (by_types && excluded_.exclude(instance)) {
      if (!first_) {
        first_ = std::move(found.counterexample);
      }
      found.counterexample.reset();
    }
    return found;
  }
  // An instance, ill-typed as well, that the types of this well-typed one no longer explain.
  std::optional<Instance> unexplained(const Instance& instance) {
    if (!instance.target_error.empty()) {
      return std::nullopt;
    }
    well_typed_ = true;
    return excluded_.prove(instance);
  }
  // No types make the target well-typed.
  std::optional<Counterexample> explained_by_none() { return well_typed_ ? std::nullopt : std::move(first_); }

 private:
  ExcludedTypes excluded_;
  std::optional<Counterexample> first_;
  bool well_typed_ = false;
};

// These two types say nearly all, and there are far fewer combinations of them.
InstanceOptions of_few_types(InstanceOptions options) {
  options.compose = false;
  if (options.dtypes.empty()) {
    options.dtypes = {DType::Float32, DType::Int64};
  }
  return options;
}

// The assignment of the counterexample, if it is one of this instance.
std::optional<Assignment> assignment_at(const Instance& instance, const Counterexample& known) {
  if (known.label != instance.label || known.symbols.size() != instance.symbols.size()) {
    return std::nullopt;
  }
  Assignment out;
  for (const auto& [name, value] : known.symbols) {
    out.emplace(Symbol(name), value);
  }
  bool of_these = std::all_of(instance.symbols.begin(), instance.symbols.end(),
                              [&](const FreeSymbol& symbol) { return out.contains(symbol.name); });
  return of_these && AssignmentSearch(instance).satisfies(out) ? std::optional(std::move(out)) : std::nullopt;
}

bool fails_again(const Instance& instance, const Counterexample& known, std::int64_t most_elements) {
  // An ill-typed target, whatever the sizes are, may be one of element types for which the rule does not fire.
  auto assignment = instance.target_error.empty() ? assignment_at(instance, known) : std::nullopt;
  if (!assignment) {
    return false;
  }
  Trial trial(instance, *assignment, most_elements);
  if (!trial.legal() || trial.inputs().size() != known.inputs.size()) {
    return false;
  }
  return trial.run(known.inputs).failing;
}

}  // namespace

Refutation refute_instance(const Instance& instance, const RefuteOptions& options) {
  return InstanceRefuter(instance, options).run();
}

Refutation refute_rule(const Rule& rule, const RefuteOptions& options) {
  constexpr std::size_t kMoreInstances = 100;  // for a stronger counterexample than an ill-typed target
  RefuteOptions quick = options;
  quick.assignments = 1;
  quick.draws = std::min(options.draws, 2);
  quick.first_draws = quick.draws;
  InstanceOptions instances = of_few_types(options.instances);
  std::vector<DType> every = options.instances.dtypes;
  Refutation all;
  for (RefuteOptions pass : {quick, options}) {
    if (all.instances > 0) {
      pass.assignments = std::max(pass.assignments, static_cast<int>(options.least_assignments / all.instances));
    }
    Refutation out;
    out.counterexample = std::move(all.counterexample);
    std::size_t most = out.counterexample ? kMoreInstances : pass.most_instances;
    OtherTypes types;
    Enumeration seen = for_each_instance(rule, instances, [&](const Instance& instance) {
      bool known = out.counterexample.has_value();
      merge(out, types.judged(instance, refute_instance(instance, pass)));
      if (auto other = types.unexplained(instance)) {
        merge(out, refute_instance(*other, pass));
      }
      if (!known && out.counterexample) {
        most = std::min(most, out.instances + kMoreInstances);
      }
      return !is_strong(out.counterexample) && out.instances < most && out.compared < pass.most_compared;
    });
    if (!out.counterexample) {
      out.counterexample = types.explained_by_none();
    }
    out.first_error = out.instances == 0 ? std::move(seen.first_error) : std::string();
    instances.dtypes = every;
    all = std::move(out);
    if (is_strong(all.counterexample) || options.assignments <= quick.assignments) {
      break;
    }
  }
  return all;
}

bool is_refuted_by(const Rule& rule, const std::vector<Counterexample>& known, const RefuteOptions& options,
                   std::size_t& instances) {
  bool refuted = false;
  for_each_instance(rule, of_few_types(options.instances), [&](const Instance& instance) {
    ++instances;
    refuted = std::any_of(known.begin(), known.end(),
                          [&](const Counterexample& one) { return fails_again(instance, one, options.most_elements); });
    return !refuted && instances < options.most_instances;
  });
  return refuted;
}

std::optional<Counterexample> run_again(const Counterexample& counterexample) {
  if (!counterexample.target || counterexample.failing == Failing::Types) {
    return counterexample;
  }
  std::vector<ExactTensor> inputs;
  for (const Tensor& input : counterexample.inputs) {
    auto exact = exact_of(input);
    if (!exact) {
      return std::nullopt;
    }
    inputs.push_back(std::move(*exact));
  }
  ExactEvaluator source(counterexample.source);
  ExactEvaluator target(*counterexample.target);
  auto difference = compare_exactly(source, target, inputs).difference;
  if (!difference) {
    return std::nullopt;
  }
  Counterexample out = counterexample;
  out.failing = difference->failing;
  out.output = difference->output;
  out.index = difference->index;
  out.source_value = difference->source;
  out.target_value = difference->target;
  out.reason = difference->reason;
  return out;
}

}  // namespace vouch
