#include "equiv/simulate.h"

#include <algorithm>
#include <array>

#include "equiv/classes.h"
#include "equiv/open_sizes.h"
#include "equiv/shrink.h"
#include "graph/eval.h"

namespace vouch {
namespace {

constexpr double kShows = 1e-4;  // relative: narrow floats show it
constexpr std::size_t kRounds = 3;
constexpr std::size_t kFarRounds = 4;  // of other magnitudes and sizes: where nothing was found, or too little to be seen
constexpr std::int64_t kMuchWork = 4'000'000;
constexpr std::int64_t kMostFarWork = 40'000'000;  // elements of all tensors, of all runs
constexpr std::int64_t kMostShrinkRuns = 200;
constexpr std::int64_t kMostShrinkWork = 20'000'000;

bool same(const Fingerprint& a, const Fingerprint& b) {
  return a.extents == b.extents && a.first == b.first && a.second == b.second && a.norm == b.norm;
}

class Simulator {
 public:
  Simulator(const ModelPair& pair, const SimulationOptions& options)
      : pair_(pair), options_(options), comparison_(pair, options.parameter_change) {}

  Simulation run() {
    auto wide = widened(pair_.graph);
    is_wide_ = wide.has_value();
    graph_ = wide ? std::move(*wide) : as_it_is(pair_.graph);
    comparison_.use({}, !is_wide_ || computes_narrow(graph_));
    if (!options_.further) {
      run_near();
    }
    if (options_.further || small_) {
      run_far();
    }
    take_largest();
    if (!out_.rounds.empty()) {
      out_.failure.clear();
    }
    if (out_.divergence) {
      out_.witness = out_.rounds.back().inputs;
      shrink();
    }
    return std::move(out_);
  }

 private:
  enum class Tried : std::uint8_t { Ran, Failed, Diverged };

  void run_near() {
    for (const auto& inputs : options_.given) {
      try_inputs(inputs);
      set_aside_if_small();
    }
    std::size_t rounds = std::min(options_.rounds, kRounds) - std::min(options_.given.size(), std::size_t{1});
    for (std::size_t round = 0; round < rounds && !out_.divergence; ++round) {
      // Models that take long are run twice.
      if (out_.rounds.size() >= 2 && work() > kMuchWork) {
        break;
      }
      draw_round(round);
      set_aside_if_small();
      if (options_.progress) {
        options_.progress(round + 1, rounds);
      }
    }
  }

  void run_far() {
    comparison_.ignore_overflow();
    std::int64_t done = 0;
    for (std::size_t round = 0; round < kFarRounds && !out_.divergence && done <= kMostFarWork; ++round) {
      draw_round(kRounds + round);
      set_aside_if_small();
      done += out_.rounds.empty() ? 0 : 2 * work();
    }
  }

  // A difference that narrow floats would not show is kept, while a larger one is looked for.
  void set_aside_if_small() {
    if (!out_.divergence || !out_.divergence->failure.empty() || comparison_.relative() >= kShows) {
      return;
    }
    if (!small_ || comparison_.relative() > small_relative_) {
      small_ = out_.divergence;
      small_relative_ = comparison_.relative();
      small_changed_ = std::move(out_.changed);
    }
    out_.divergence.reset();
    out_.changed.clear();
  }

  // Its round comes last, as if nothing had been tried after it.
  void take_largest() {
    if (out_.divergence) {
      relative_ = comparison_.relative();
    } else if (small_) {
      relative_ = small_relative_;
      std::swap(out_.rounds[small_->round], out_.rounds.back());
      out_.divergence = small_;
      out_.divergence->round = out_.rounds.size() - 1;
      out_.changed = std::move(small_changed_);
    }
  }

  // What shows it with fewer elements shows as much, or can be seen in narrow floats.
  void shrink() {
    if (!out_.divergence->failure.empty()) {
      return;
    }
    double least = std::min(kShows, relative_ / 2);
    ShrinkOptions options;
    options.runs = std::min(kMostShrinkRuns, kMostShrinkWork / work());
    options.may_be_zero = [this](std::size_t input) { return may_be(0, input); };
    options.keeps = [&](const std::vector<Tensor>& inputs) {
      std::string ignored;
      auto outputs = run_wide(graph_, inputs, pair_.foreign, nullptr, ignored);
      auto found = outputs ? comparison_.compare(inputs, *outputs, least) : std::nullopt;
      if (found) {
        found->round = out_.divergence->round;
        out_.divergence = found;
      }
      return found.has_value();
    };
    out_.witness = shrunk(std::move(out_.witness), options);
  }

  // Elements of all tensors in the last round.
  std::int64_t work() const {
    std::int64_t out = 1;
    for (const Fingerprint& print : out_.rounds.back().prints) {
      out += element_count(print.extents).value_or(0);
    }
    return out;
  }

  bool may_be(double value, std::size_t input) const {
    auto range = options_.ranges.find(pair_.graph.name(pair_.graph.inputs()[input]));
    return range == options_.ranges.end() || (range->second.low <= value && value <= range->second.high);
  }

  // The first round runs both models in full. From then on what is congruent is run once, if that round bears it out.
  void share_congruent(Round& round) {
    if (!stand_ins_.empty()) {
      for (NodeId node = 0; node < stand_ins_.size(); ++node) {
        round.prints[node] = round.prints[stand_ins_[node]];
      }
      return;
    }
    Classes classes(pair_.graph);
    for (NodeId node = 0; node < pair_.graph.id_limit(); ++node) {
      classes.add(node);
    }
    std::vector<NodeId> oldest(pair_.graph.id_limit());
    for (NodeId node = 0; node < oldest.size(); ++node) {
      const std::vector<NodeId>& members = classes.members(classes.find(node));
      oldest[node] = *std::min_element(members.begin(), members.end());
      if (!same(round.prints[node], round.prints[oldest[node]])) {
        out_.contradiction = true;
        return;
      }
    }
    if (auto merged = is_wide_ ? widened(pair_.graph, {{}, oldest}) : std::nullopt) {
      graph_ = std::move(*merged);
      stand_ins_ = std::move(oldest);
      comparison_.use(stand_ins_, computes_narrow(graph_));
    }
  }

  // The first model by itself: with its own conditions on sizes, and each output twice.
  const WideGraph& alone() {
    if (!alone_) {
      Graph graph = first_model();
      alone_ = is_wide_ ? widened(graph) : std::nullopt;
      if (!alone_) {
        alone_ = as_it_is(std::move(graph));
      }
    }
    return *alone_;
  }

  Graph first_model() const {
    Graph out = prefix(pair_.graph, pair_.first_of_b);
    for (const PairedOutput& output : pair_.outputs) {
      out.add_output("a " + output.a_name, output.a);
      out.add_output("b " + output.a_name, output.a);
    }
    return out;
  }

  void draw_round(std::size_t round) {
    static constexpr std::array<Range, kRounds + kFarRounds> kFloats{
        {{-1, 1}, {-3, 3}, {0, 1}, {-0.01, 0.01}, {-10, 10}, {0, 255}, {-1000, 1000}}};
    bool far = round >= kRounds;
    // Positions in a table of unknown length: large ones first, where these are tried at all.
    std::vector<std::int64_t> most = far ? std::vector<std::int64_t>{512, 64, 16, 8, 1} : std::vector<std::int64_t>{2, 1};
    most[0] = round == 1 ? 4 : most[0];
    for (const Sizes& sizes :
         sizes_to_try(pair_.graph, options_.given.empty() ? std::vector<Tensor>() : options_.given[0], round, far)) {
      for (std::int64_t integers : most) {
        DrawStyle style{1 + round, kFloats[round], round == 1 ? 0.2 : 0, integers, sizes, round > 0};
        auto inputs = draw_inputs(pair_.graph, style, options_.ranges);
        if (inputs && try_inputs(std::move(*inputs)) != Tried::Failed) {
          return;
        }
      }
    }
  }

  Tried try_inputs(std::vector<Tensor> inputs) {
    Round round;
    std::string failure;
    auto outputs = run_wide(graph_, inputs, pair_.foreign, &round.prints, failure);
    round.inputs = std::move(inputs);
    if (outputs) {
      share_congruent(round);
      out_.rounds.push_back(std::move(round));
      out_.divergence = comparison_.compare(out_.rounds.back().inputs, *outputs, 0);
      if (out_.divergence) {
        out_.divergence->round = out_.rounds.size() - 1;
        out_.changed = comparison_.changed_prints();
      }
      return out_.divergence ? Tried::Diverged : Tried::Ran;
    }
    std::string of_first;
    if (!run_wide(alone(), round.inputs, pair_.foreign, nullptr, of_first)) {
      out_.failure = of_first;
      return Tried::Failed;
    }
    // The first model takes these sizes, and the second does not: they are no one function. What else goes wrong in a run of the
    // second may be a lack of ours.
    Diagnostics ignored;
    if (verify_inputs(graph_.graph, fitting(graph_.graph, round.inputs), ignored)) {
      out_.failure = "the second model: " + failure;
      return Tried::Failed;
    }
    out_.divergence = Divergence{0, out_.rounds.size(), 0, 0, 0, failure};
    out_.rounds.push_back(std::move(round));
    return Tried::Diverged;
  }

  const ModelPair& pair_;
  const SimulationOptions& options_;
  WideGraph graph_;
  bool is_wide_ = false;
  std::optional<WideGraph> alone_;  // once asked for
  std::vector<NodeId> stand_ins_;   // of congruent nodes, once these are run only once
  OutputComparison comparison_;
  std::optional<Divergence> small_;  // the largest of those that were set aside
  double small_relative_ = 0;
  std::vector<Fingerprint> small_changed_;
  double relative_ = 0;  // of the difference that was found, to the largest element of its output
  Simulation out_;
};

}  // namespace

Simulation simulate(const ModelPair& pair, const SimulationOptions& options) { return Simulator(pair, options).run(); }

}  // namespace vouch
