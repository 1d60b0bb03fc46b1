#include "equiv/equiv.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "equiv/bodies.h"
#include "equiv/bounds.h"
#include "equiv/locate.h"
#include "equiv/sweep.h"

namespace vouch {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// What is shown without any hypothesis.
class Congruence {
 public:
  Congruence(const ModelPair& pair, const EquivOptions& options)
      : options_(quiet(options)),
        candidates_(pair, none_, options.fold_tolerance),
        sweep_(pair, candidates_, options_, unused_, Sweep::Purpose::Prove) {
    sweep_.run();
    steps_ = sweep_.take_steps();
    holds_ = std::all_of(pair.outputs.begin(), pair.outputs.end(),
                         [&](const PairedOutput& output) { return sweep_.classes().equal(output.a, output.b); });
  }
  Congruence(const Congruence&) = delete;
  Congruence& operator=(const Congruence&) = delete;

  bool holds() const { return holds_; }
  // By no law of arithmetic: whatever else could be shown of tensors within would only weaken it.
  bool is_exact() const {
    return holds_ &&
           std::all_of(steps_.begin(), steps_.end(), [](const EquivStep& step) { return step.exact && step.bound == 0; });
  }
  std::vector<EquivStep> take_steps() { return std::move(steps_); }
  const Sweep& sweep() const { return sweep_; }

 private:
  static EquivOptions quiet(const EquivOptions& options) {
    EquivOptions out;
    out.nesting = options.nesting;
    out.pairing.foreign = options.pairing.foreign;
    out.bodies = options.bodies;
    return out;
  }

  Simulation none_;
  RegionVerdicts unused_;
  EquivOptions options_;
  Candidates candidates_;
  Sweep sweep_;
  std::vector<EquivStep> steps_;
  bool holds_ = false;
};

// What an unproven output is computed from, and not through tensors that were proven.
std::vector<bool> wanted_nodes(const ModelPair& pair, const std::vector<std::size_t>& unproven, const Sweep& sweep) {
  std::vector<bool> out(pair.graph.id_limit(), false);
  std::vector<NodeId> pending;
  for (std::size_t output : unproven) {
    pending.push_back(pair.outputs[output].b);
  }
  while (!pending.empty()) {
    NodeId node = pending.back();
    pending.pop_back();
    if (node != kNoNode && !out[node] && !sweep.is_known(node)) {
      out[node] = true;
      pending.insert(pending.end(), pair.graph.operands(node).begin(), pair.graph.operands(node).end());
    }
  }
  return out;
}

void judge(EquivResult& result, const Sweep& sweep) {
  result.unproven.clear();
  for (std::size_t k = 0; k < result.pair->outputs.size(); ++k) {
    if (!sweep.classes().equal(result.pair->outputs[k].a, result.pair->outputs[k].b)) {
      result.unproven.push_back(k);
    }
  }
  bool exact = true;
  for (const EquivStep& step : result.steps) {
    exact = exact && step.exact && step.kind != EquivStep::Kind::Fold;
    result.folded += step.bound > 0 ? 1 : 0;
  }
  result.fold_bound = compounded_bound(result.steps);
  if (result.simulation.contradiction || (result.unproven.empty() && result.simulation.divergence)) {
    result.contradiction = true;  // one of the two is at fault: nothing is claimed
  } else if (result.unproven.empty()) {
    result.verdict = exact ? EquivVerdict::EqualExact : EquivVerdict::EqualReal;
  } else {
    result.verdict = result.simulation.divergence ? EquivVerdict::Different : EquivVerdict::Open;
  }
}

void note_times(std::vector<double> seconds, EquivResult& result) {
  if (!seconds.empty()) {
    result.proof_seconds = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
    std::nth_element(seconds.begin(), middle, seconds.end());
    result.median_proof_seconds = *middle;
  }
}

// What follows from a simulation.
class Comparison {
 public:
  Comparison(EquivResult& result, const EquivOptions& options, RegionVerdicts& verdicts)
      : result_(result),
        options_(options),
        verdicts_(verdicts),
        candidates_(*result.pair, result.simulation, options.fold_tolerance),
        sweep_(*result.pair, candidates_, options, verdicts,
               result.simulation.divergence ? Sweep::Purpose::Locate : Sweep::Purpose::Prove) {}

  void run() {
    sweep_.run();
    result_.steps = sweep_.take_steps();
    result_.open = sweep_.take_open();
    result_.regions += sweep_.prover().asked().size();
    note_times(sweep_.prover().seconds(), result_);
    judge(result_, sweep_);
    if (result_.verdict == EquivVerdict::Different) {
      locate_difference(result_, candidates_, sweep_);
    }
  }

  void name_open_regions() {
    Sweep assumed(*result_.pair, candidates_, options_, verdicts_, Sweep::Purpose::Assume);
    assumed.limit_to(wanted_nodes(*result_.pair, result_.unproven, sweep_));
    assumed.run();
    result_.open = assumed.take_open();
  }

 private:
  EquivResult& result_;
  const EquivOptions& options_;
  RegionVerdicts& verdicts_;
  Candidates candidates_;
  Sweep sweep_;
};

Simulation timed_simulation(EquivResult& result, const SimulationOptions& options) {
  auto start = Clock::now();
  Simulation out = simulate(*result.pair, options);
  result.simulation_seconds += since(start);
  return out;
}

}  // namespace

EquivResult compare_models(const Graph& a, const Graph& b, const EquivOptions& given) {
  EquivResult result;
  EquivOptions options = given;
  options.bodies = given.bodies ? given.bodies : std::make_shared<BodyProofs>();
  Pairing pairing = pair_models(a, b, options.pairing);
  if (!pairing.pair) {
    result.verdict = EquivVerdict::Mismatched;
    result.mismatches = std::move(pairing.mismatches);
    return result;
  }
  result.pair = std::move(pairing.pair);
  SimulationOptions simulation = options.simulation;
  // What congruence alone proves is run once, as a check of ours.
  Congruence congruence(*result.pair, options);
  simulation.rounds = congruence.holds() ? 1 : simulation.rounds;
  // Of graphs within, the run of the whole is that check.
  if (options.nesting == 0 || !congruence.is_exact()) {
    result.simulation = timed_simulation(result, simulation);
  }
  if (congruence.is_exact() && !result.simulation.divergence) {
    result.steps = congruence.take_steps();
    judge(result, congruence.sweep());
    if (options.progress) {
      options.progress(result.pair->graph.id_limit(), result.pair->graph.id_limit());
    }
    return result;
  }
  RegionVerdicts in_this_run;
  RegionVerdicts& verdicts = options.verdicts != nullptr ? *options.verdicts : in_this_run;
  Comparison comparison(result, options, verdicts);
  comparison.run();
  if (result.verdict == EquivVerdict::Open && !result.contradiction) {
    // Equal pairs are not kept waiting for inputs that are seldom needed.
    simulation.further = true;
    Simulation further = timed_simulation(result, simulation);
    if (further.divergence) {
      result.simulation = std::move(further);
      Comparison(result, options, verdicts).run();
    } else {
      comparison.name_open_regions();
    }
  }
  return result;
}

}  // namespace vouch
