#include "check/refute.h"

#include <algorithm>

#include "check/concrete.h"
#include "check/difference.h"
#include "check/shrink.h"
#include "support/fault.h"

namespace vouch {
namespace {

// One instance: assignments, and elements for each.
class InstanceRefuter {
 public:
  InstanceRefuter(const Instance& instance, const RefuteOptions& options)
      : instance_(instance), options_(options), search_(instance), random_(options.seed) {}

  Refutation run() {
    Refutation out;
    out.instances = 1;
    out.unsupported = instance_.unsupported;
    if (!out.unsupported.empty()) {
      return out;
    }
    for (int k = 0; k < options_.assignments && !out.counterexample; ++k) {
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
    return out;
  }

 private:
  void try_assignment(const Assignment& assignment, Refutation& out) {
    Trial trial(instance_, assignment, options_.most_elements);
    if (!trial.legal()) {
      return;
    }
    ++out.legal;
    for (int draw = 0; draw < options_.draws && !out.counterexample; ++draw) {
      Found found = trial.run(draw_elements(trial.inputs(), static_cast<Draw>(draw % kDrawCount), random_));
      out.compared += found.compared;
      if (found.failing) {
        if (options_.shrink) {
          shrink(instance_, search_, options_, random_, found);
        }
        out.counterexample = std::move(found.counterexample);
      }
      if (trial.ill_typed()) {
        break;
      }
    }
  }

  const Instance& instance_;
  const RefuteOptions& options_;
  AssignmentSearch search_;
  std::mt19937 random_;
};

void merge(Refutation& into, Refutation&& from) {
  into.instances += from.instances;
  into.legal += from.legal;
  into.compared += from.compared;
  if (into.unsupported.empty()) {
    into.unsupported = std::move(from.unsupported);
  }
  into.counterexample = std::move(from.counterexample);
}

}  // namespace

Refutation refute_instance(const Instance& instance, const RefuteOptions& options) {
  return InstanceRefuter(instance, options).run();
}

Refutation refute_rule(const Rule& rule, const RefuteOptions& options) {
  Refutation all;
  RefuteOptions quick = options;
  quick.assignments = 2;
  quick.draws = std::min(options.draws, 2);
  for (const RefuteOptions& pass : {quick, options}) {
    Refutation out;
    for_each_instance(rule, options.instances, [&](const Instance& instance) {
      merge(out, refute_instance(instance, pass));
      return !out.counterexample && out.instances < options.most_instances;
    });
    all = std::move(out);
    if (all.counterexample || options.assignments <= quick.assignments) {
      break;
    }
  }
  return all;
}

std::optional<Counterexample> run_again(const Counterexample& counterexample) {
  ensure(counterexample.target.has_value(), "a target that is ill-typed cannot be run");
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
