#include "equiv/equiv.h"

#include <algorithm>
#include <chrono>
#include <numeric>

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
      : options_(quiet(options)), candidates_(pair, none_), sweep_(pair, candidates_, options_, unused_, Sweep::Purpose::Prove) {
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

}  // namespace

EquivResult compare_models(const Graph& a, const Graph& b, const EquivOptions& options) {
  EquivResult result;
  Pairing pairing = pair_models(a, b, options.pairing);
  if (!pairing.pair) {
    result.verdict = EquivVerdict::Mismatched;
    result.mismatches = std::move(pairing.mismatches);
    return result;
  }
  result.pair = std::move(pairing.pair);
  auto start = Clock::now();
  SimulationOptions simulation = options.simulation;
  // What congruence alone proves is run once, as a check of ours.
  Congruence congruence(*result.pair, options);
  simulation.rounds = congruence.holds() ? 1 : simulation.rounds;
  result.simulation = simulate(*result.pair, simulation);
  result.simulation_seconds = since(start);
  if (congruence.is_exact() && !result.simulation.divergence) {
    result.steps = congruence.take_steps();
    judge(result, congruence.sweep());
    if (options.progress) {
      options.progress(result.pair->graph.id_limit(), result.pair->graph.id_limit());
    }
    return result;
  }
  Candidates candidates(*result.pair, result.simulation);
  RegionVerdicts in_this_run;
  RegionVerdicts& verdicts = options.verdicts != nullptr ? *options.verdicts : in_this_run;
  bool differs = result.simulation.divergence.has_value();
  Sweep sweep(*result.pair, candidates, options, verdicts, differs ? Sweep::Purpose::Locate : Sweep::Purpose::Prove);
  sweep.run();
  result.steps = sweep.take_steps();
  result.open = sweep.take_open();
  result.regions = sweep.prover().asked().size();
  note_times(sweep.prover().seconds(), result);
  judge(result, sweep);
  if (result.verdict == EquivVerdict::Open) {
    Sweep assumed(*result.pair, candidates, options, verdicts, Sweep::Purpose::Assume);
    assumed.limit_to(wanted_nodes(*result.pair, result.unproven, sweep));
    assumed.run();
    result.open = assumed.take_open();
  }
  if (result.verdict == EquivVerdict::Different) {
    locate_difference(result, candidates, sweep);
  }
  return result;
}

}  // namespace vouch
