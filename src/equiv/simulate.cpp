#include "equiv/simulate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>

#include "equiv/classes.h"
#include "equiv/widen.h"
#include "graph/eval.h"

namespace vouch {
namespace {

constexpr std::size_t kRounds = 3;
constexpr std::int64_t kSmallBatch = 4;
constexpr std::int64_t kMuchWork = 4'000'000;
constexpr std::int64_t kMostShrinkRuns = 200;
constexpr std::int64_t kMostShrinkWork = 20'000'000;  // elements of all tensors, of all runs

double weight(std::uint64_t at) {
  std::uint64_t x = (at + 0x9e3779b97f4a7c15ULL) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<double>(static_cast<std::int64_t>(x ^ (x >> 31))) * 0x1p-63;
}

double plain(double x) { return std::isnan(x) ? 0.7182818 : std::clamp(x, -1e30, 1e30); }

double element(const Tensor& tensor, std::int64_t at) {
  return is_float(tensor.dtype()) ? tensor.double_at(at) : static_cast<double>(tensor.int_at(at));
}

Fingerprint print_of(const Tensor& tensor) {
  Fingerprint out;
  out.extents = tensor.extents();
  double zeroth = tensor.count() > 0 ? plain(element(tensor, 0)) : 0;
  for (std::int64_t at = 0; at < tensor.count(); ++at) {
    double x = plain(element(tensor, at));
    auto place = static_cast<std::uint64_t>(at);
    out.first += x * weight(2 * place);
    out.second += x * weight(2 * place + 1);
    out.norm += x * x;
    out.uniform = out.uniform && x == zeroth;
  }
  out.norm = std::sqrt(out.norm);
  return out;
}

bool same(const Fingerprint& a, const Fingerprint& b) {
  return a.extents == b.extents && a.first == b.first && a.second == b.second && a.norm == b.norm;
}

using Outputs = std::optional<std::vector<Tensor>>;

// As the graph takes them.
std::vector<Tensor> fitting(const Graph& graph, const std::vector<Tensor>& inputs) {
  std::vector<Tensor> out;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    bool wide = graph.type(graph.inputs()[k]).dtype() == DType::Float64;
    out.push_back(wide ? widened(inputs[k]) : inputs[k]);
  }
  return out;
}

// Of which node of the pair a node of the wide graph is; none of conversions in between.
std::vector<NodeId> origins(const WideGraph& wide) {
  std::vector<NodeId> out(wide.graph.id_limit(), kNoNode);
  for (NodeId node = 0; node < wide.at.size(); ++node) {
    out[wide.at[node]] = node;
  }
  return out;
}

// `prints`: filled if it is there, by the nodes of the pair.
Outputs run_on(const WideGraph& wide, const std::vector<Tensor>& inputs, std::vector<Fingerprint>* prints, std::string& failure) {
  const Graph& graph = wide.graph;
  RunOptions options;
  if (prints != nullptr) {
    prints->assign(wide.at.size(), {});
    options.observe = [prints, origin = origins(wide)](NodeId node, const EvalValue& value) {
      if (origin[node] != kNoNode && !value.is_tuple && value.items.size() == 1) {
        (*prints)[origin[node]] = print_of(value.items[0]);
      }
    };
  }
  Diagnostics diagnostics;
  auto outputs = eval_graph(graph, fitting(graph, inputs), diagnostics, std::move(options));
  if (!outputs) {
    failure = diagnostics.all().empty() ? "no value" : diagnostics.all()[0].place + ": " + diagnostics.all()[0].message;
  }
  return outputs;
}

class Simulator {
 public:
  Simulator(const ModelPair& pair, const SimulationOptions& options) : pair_(pair), options_(options) {}

  Simulation run() {
    auto wide = widened(pair_.graph);
    is_wide_ = wide.has_value();
    graph_ = wide ? std::move(*wide) : as_it_is(pair_.graph);
    for (const auto& inputs : options_.given) {
      try_inputs(inputs);
    }
    std::size_t rounds = std::min(options_.rounds, kRounds) - std::min(options_.given.size(), std::size_t{1});
    for (std::size_t round = 0; round < rounds && !out_.divergence; ++round) {
      // Models that take long are run twice.
      if (out_.rounds.size() >= 2 && work() > kMuchWork) {
        break;
      }
      draw_round(round);
      if (options_.progress) {
        options_.progress(round + 1, rounds);
      }
    }
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
  static WideGraph as_it_is(Graph graph) {
    WideGraph out{std::move(graph), {}};
    out.at.resize(out.graph.id_limit());
    std::iota(out.at.begin(), out.at.end(), NodeId{0});
    return out;
  }

  enum class Tried : std::uint8_t { Ran, Failed, Diverged };

  // Fewer elements that are not 0, as long as the models still differ: whole inputs, then halves of what is left, and so on.
  void shrink() {
    std::int64_t runs = std::min(kMostShrinkRuns, kMostShrinkWork / work());
    for (std::size_t k = 0; k < out_.witness.size() && out_.divergence->failure.empty(); ++k) {
      bool may_be_zero = may_be(0, k);
      for (std::int64_t size = out_.witness[k].count(); may_be_zero && size > 0; size = size == 1 ? 0 : (size + 1) / 2) {
        for (std::int64_t begin = 0; begin < out_.witness[k].count(); begin += size) {
          auto fewer = zeroed(out_.witness[k], begin, size);
          if (fewer && runs-- <= 0) {
            return;
          }
          if (fewer) {
            keep_if_different(k, std::move(*fewer));
          }
        }
      }
    }
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

  // Nothing if they are all 0 already.
  static std::optional<Tensor> zeroed(const Tensor& tensor, std::int64_t begin, std::int64_t size) {
    auto width = static_cast<std::ptrdiff_t>(byte_size(tensor.dtype()));
    std::ptrdiff_t first = begin * width;
    std::ptrdiff_t last = std::min(begin + size, tensor.count()) * width;
    std::span<const std::byte> old = tensor.bytes();
    if (std::all_of(old.begin() + first, old.begin() + last, [](std::byte byte) { return byte == std::byte{0}; })) {
      return std::nullopt;
    }
    std::vector<std::byte> bytes(old.begin(), old.end());
    std::fill(bytes.begin() + first, bytes.begin() + last, std::byte{0});
    return Tensor(tensor.dtype(), tensor.extents(), std::move(bytes));
  }

  void keep_if_different(std::size_t input, Tensor fewer) {
    std::vector<Tensor> inputs = out_.witness;
    inputs[input] = std::move(fewer);
    std::string ignored;
    auto outputs = run_on(graph_, inputs, nullptr, ignored);
    Divergence before = *out_.divergence;
    out_.divergence.reset();
    std::swap(out_.rounds.back().inputs, inputs);
    if (outputs) {
      compare(*outputs);
    }
    std::swap(out_.rounds.back().inputs, inputs);
    if (out_.divergence) {
      out_.witness = std::move(inputs);
    } else {
      out_.divergence = before;
    }
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

  // Sizes that suit a model are not known: those of the inputs that were given, in larger batches, then small ones.
  std::vector<std::map<Symbol, std::int64_t>> sizes_to_try(std::size_t round) const {
    static constexpr std::array<std::array<std::int64_t, 2>, 9> kSizes{
        {{2, 1}, {5, 2}, {8, 8}, {16, 16}, {32, 0}, {48, 0}, {64, 32}, {128, 0}, {224, 0}}};
    constexpr std::size_t kLarge = 4;
    auto number = static_cast<std::int64_t>(round);
    std::vector<Symbol> names;
    std::map<Symbol, std::int64_t> given;
    for (std::size_t k = 0; k < pair_.graph.inputs().size(); ++k) {
      Type type = pair_.graph.type(pair_.graph.inputs()[k]);
      for (std::size_t axis = 0; type.is_tensor() && axis < type.rank(); ++axis) {
        for (Symbol name : free_variables(type.extents()[axis])) {
          if (std::find(names.begin(), names.end(), name) == names.end()) {
            names.push_back(name);
          }
          if (!options_.given.empty() && type.extents()[axis] == int_var(name)) {
            given[name] = options_.given[0][k].extents()[axis];
          }
        }
      }
    }
    std::vector<std::map<Symbol, std::int64_t>> out;
    if (!given.empty() && given.size() == names.size()) {
      out.push_back(given);
      out.back()[names[0]] += given[names[0]] < kSmallBatch ? number + 1 : 0;
    }
    for (std::size_t k = 0; k < kSizes.size() && (k == 0 || !names.empty()); ++k) {
      std::map<Symbol, std::int64_t>& sizes = out.emplace_back();
      for (std::size_t at = 0; at < names.size(); ++at) {
        // What is divided by strides stays divisible; the first size is the batch, as a rule.
        std::int64_t first = k < kLarge ? kSizes[k][0] + number : kSizes[k][0] * (round == 1 ? 2 : 1);
        bool batch = k >= kLarge && at == 0 && names.size() > 1;
        sizes.emplace(names[at], batch ? 2 + number : first + static_cast<std::int64_t>(at) * kSizes[k][1]);
      }
    }
    return out;
  }

  void draw_round(std::size_t round) {
    static constexpr std::array<Range, kRounds> kFloats{{{-1, 1}, {-3, 3}, {0, 1}}};
    for (const auto& sizes : sizes_to_try(round)) {
      for (std::int64_t integers : {round == 1 ? 4 : 2, 1}) {
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
    auto outputs = run_on(graph_, inputs, &round.prints, failure);
    round.inputs = std::move(inputs);
    if (outputs) {
      share_congruent(round);
      out_.rounds.push_back(std::move(round));
      compare(*outputs);
      return out_.divergence ? Tried::Diverged : Tried::Ran;
    }
    std::string of_first;
    if (!run_on(alone(), round.inputs, nullptr, of_first)) {
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

  void compare(const std::vector<Tensor>& outputs) {
    changed_.reset();
    for (std::size_t k = 0; k < pair_.outputs.size() && !out_.divergence; ++k) {
      compare_output(k, outputs[2 * k], outputs[2 * k + 1]);
    }
  }

  void compare_output(std::size_t k, const Tensor& a, const Tensor& b) {
    if (a.extents() != b.extents() || a.dtype() != b.dtype()) {
      out_.divergence = Divergence{k, out_.rounds.size() - 1, 0, 0, 0, "it has another shape there"};
      return;
    }
    if (a == b) {
      return;
    }
    double worst = 0;
    double scale = 0;
    std::int64_t at = 0;
    for (std::int64_t i = 0; i < a.count(); ++i) {
      double x = element(a, i);
      double y = element(b, i);
      double off = x == y || (std::isnan(x) && std::isnan(y)) ? 0 : std::abs(plain(x) - plain(y));
      scale = std::max(scale, std::min(std::abs(plain(x)), 1e30));
      if (off > worst) {
        worst = off;
        at = i;
      }
    }
    bool exact = !is_float(a.dtype());
    if (worst > (exact ? 0 : 1e-9 * scale) && worst > allowed(k, a, b)) {
      out_.divergence = Divergence{k, out_.rounds.size() - 1, at, element(a, at), element(b, at), ""};
    }
  }

  // What a small relative change of every parameter of the models makes of the output, in the last round: less than ten times
  // that may be what folding parameters did.
  double allowed(std::size_t k, const Tensor& a, const Tensor& b) {
    if (!changed_) {
      changed_ = run_changed();
    }
    double most = 0;
    for (const auto& [output, before] : {std::pair(2 * k, &a), std::pair(2 * k + 1, &b)}) {
      if (!*changed_ || (**changed_)[output].extents() != before->extents()) {
        return 1e-3;
      }
      for (std::int64_t at = 0; at < before->count(); ++at) {
        double off = std::abs(element(*before, at) - element((**changed_)[output], at));
        most = std::isfinite(off) ? std::max(most, off) : most;
      }
    }
    return 10 * most;
  }

  // The outputs in the last round, were the models' parameters a little different.
  Outputs run_changed() const {
    std::mt19937_64 random(7);
    auto changed = [&](Tensor value) {
      for (std::int64_t at = 0; is_float(value.dtype()) && at < value.count(); ++at) {
        double unit = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
        double old = value.double_at(at);
        // A whole number may be what a formula says (a square): it is nothing that was measured.
        value.set_double(at, old == std::floor(old) ? old : old * (1 + options_.parameter_change * unit));
      }
      return value;
    };
    auto graph = widened(pair_.graph, {changed, {}});
    std::string ignored;
    return graph ? run_on(*graph, out_.rounds.back().inputs, nullptr, ignored) : std::nullopt;
  }

  const ModelPair& pair_;
  const SimulationOptions& options_;
  WideGraph graph_;
  bool is_wide_ = false;
  std::optional<WideGraph> alone_;  // once asked for
  std::vector<NodeId> stand_ins_;   // of congruent nodes, once these are run only once
  std::optional<Outputs> changed_;  // of the last round, once asked for
  Simulation out_;
};

}  // namespace

bool alike(const Fingerprint& a, const Fingerprint& b, double tolerance) {
  double slack = tolerance * std::max(a.norm, b.norm);
  return a.extents == b.extents && std::abs(a.first - b.first) <= slack && std::abs(a.second - b.second) <= slack;
}

Simulation simulate(const ModelPair& pair, const SimulationOptions& options) { return Simulator(pair, options).run(); }

}  // namespace vouch
