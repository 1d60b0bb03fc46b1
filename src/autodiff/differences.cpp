#include "autodiff/differences.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "autodiff/point_run.h"
#include "support/symbols.h"
#include "term/term.h"

namespace vouch {
namespace {

const Rational kNear(1, 1 << 28);

// The degree of kernels in some tensors, piecewise; nothing above `kMost` or where it is no polynomial.
class Degrees {
 public:
  static constexpr int kMost = 4;

  Degrees(const TkKernel& kernel, const std::vector<Symbol>& targets) {
    for (Symbol target : targets) {
      of_[target] = 1;
    }
    for (const TkStatement& statement : kernel.statements) {
      std::optional<int> most = 0;
      for (const TkSummand& summand : statement.summands) {
        auto degree = of(summand.body);
        most = most && degree ? std::optional(std::max(*most, *degree)) : std::nullopt;
      }
      of_[statement.target] = most;
    }
  }

  std::optional<int> of_tensor(Symbol tensor) const {
    auto found = of_.find(tensor);
    return found == of_.end() ? 0 : found->second;
  }

 private:
  std::optional<int> of(Term term) const {
    switch (term.kind()) {
      case TermKind::Read: return of_tensor(term->symbol);
      case TermKind::RealAdd:
      case TermKind::RealSub: return joined(of(term.arg(0)), of(term.arg(1)), false);
      case TermKind::RealMul: return joined(of(term.arg(0)), of(term.arg(1)), true);
      case TermKind::RealDiv: return of(term.arg(1)) == 0 ? of(term.arg(0)) : std::nullopt;
      case TermKind::RealNeg: return of(term.arg(0));
      case TermKind::Select: return joined(of(term.arg(1)), of(term.arg(2)), false);
      case TermKind::Call: {
        bool piecewise = term->fn == Fn::Abs || term->fn == Fn::Max || term->fn == Fn::Min;
        std::optional<int> most = 0;
        for (Term part : term.args()) {
          most = joined(most, of(part), false);
        }
        return piecewise || most == 0 ? most : std::nullopt;
      }
      default: return 0;
    }
  }

  static std::optional<int> joined(std::optional<int> a, std::optional<int> b, bool product) {
    if (!a || !b) {
      return std::nullopt;
    }
    int degree = product ? *a + *b : std::max(*a, *b);
    return degree <= kMost ? std::optional(degree) : std::nullopt;
  }

  std::unordered_map<Symbol, std::optional<int>> of_;
};

class Comparison {
 public:
  Comparison(const TkKernel& kernel, const TkKernel& derivative, const std::vector<Symbol>& targets, bool forward,
             const DifferenceOptions& options)
      : kernel_(kernel),
        derivative_(derivative),
        targets_(targets),
        forward_(forward),
        options_(options),
        random_(options.seed) {}

  // Nearer and nearer, where a corner (of |x|, of max) may lie between the point and the steps.
  DifferenceReport run(bool positive) {
    DifferenceReport report = run_with(positive, Rational(1, 1 << 12));
    for (int finer = 0; finer < kFiner && !exact_ && report.refusal.empty() && !report.different.empty(); ++finer) {
      report = run_with(positive, step_ / (1 << 12));
    }
    return report;
  }

 private:
  static constexpr int kFiner = 2;

  DifferenceReport run_with(bool positive, const Rational& step) {
    report_ = {};
    random_.seed(options_.seed);
    inputs_.clear();
    seeds_.clear();
    Degrees degrees(kernel_, targets_);
    exact_ =
        std::all_of(kernel_.outputs.begin(), kernel_.outputs.end(), [&](Symbol o) { return degrees.of_tensor(o).has_value(); });
    // A polynomial (piecewise: no two elements are near each other) allows wide steps, and so whole numbers throughout.
    step_ = exact_ ? Rational(1) : step;
    for (Symbol input : kernel_.inputs) {
      const Extents extents = kernel_.tensor(input).extents();
      bool whole = is_integer(kernel_.stored_type(input));
      inputs_[input] = whole ? random_positions(extents) : random_elements(extents, positive);
    }
    // Seeds are the inputs of the derivative that the kernel does not have, by the tensor they belong to.
    const std::vector<Symbol>& seeded = forward_ ? targets_ : kernel_.outputs;
    for (Symbol tensor : seeded) {
      seeds_[tensor] = random_elements(kernel_.tensor(tensor).extents(), positive);
      for (Enclosure& seed : seeds_[tensor]) {
        seed = forward_ && exact_ ? Enclosure(floor_of(seed.low / (1 << 18)) + Rational(1, 3)) : seed;  // a short way to go
      }
    }
    PointRun primal(kernel_, inputs_, options_.most_points);
    PointRun derived(derivative_, derivative_inputs(), options_.most_points);
    if (!primal.failure().empty() || !derived.failure().empty()) {
      report_.refusal = primal.failure().empty() ? derived.failure() : primal.failure();
      return report_;
    }
    forward_ ? compare_tangents(primal, derived) : compare_gradients(primal, derived);
    return report_;
  }

  Elements random_elements(const Extents& extents, bool positive) {
    Elements out;
    for (std::int64_t i = 0; i < *element_count(extents); ++i) {
      std::int64_t value = exact_ ? random_() % (1 << 24) + 16 : random_() % 8191 + 1;
      out.emplace_back(Rational(positive || random_() % 2 == 0 ? value : -value, exact_ ? 1 : 4096));
    }
    return out;
  }

  // Integers are positions of axes, mostly: up to one beyond the longest, and one before the first.
  Elements random_positions(const Extents& extents) {
    std::int64_t longest = 1;
    for (const TkTensor& tensor : kernel_.tensors) {
      for (std::int64_t extent : tensor.extents()) {
        longest = std::max(longest, extent);
      }
    }
    Elements out;
    for (std::int64_t i = 0; i < *element_count(extents); ++i) {
      out.emplace_back(Rational(static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(longest + 2)) - 1));
    }
    return out;
  }

  // The seed's name is what the derivative calls it: its inputs that are none of the kernel's tensors, in order.
  std::unordered_map<Symbol, Elements> derivative_inputs() {
    std::unordered_map<Symbol, Elements> out;
    for (Symbol input : derivative_.inputs) {
      if (contains(kernel_.inputs, input)) {
        out[input] = inputs_.at(input);
        continue;
      }
      for (const auto& [tensor, elements] : seeds_) {
        std::string name = kernel_.tensor(tensor).written.name();
        for (const char* prefix : {"d", "d_", "t", "t_"}) {
          if (input == Symbol(prefix + name)) {
            out[input] = elements;
          }
        }
      }
    }
    return out;
  }

  std::optional<Enclosure> difference(const std::array<Enclosure, 4>& at) const {
    auto outer = sum_of(at[0], negate(at[3]));
    auto inner = sum_of(at[2], negate(at[1]));
    auto scaled = inner ? multiply(*inner, Enclosure(Rational(8)), kEnclosureBits) : std::nullopt;
    auto sum = outer && scaled ? sum_of(*outer, *scaled) : std::nullopt;
    return sum ? divide(*sum, Enclosure(step_ * 12), kEnclosureBits) : std::nullopt;
  }

  static constexpr std::array<int, 4> kSteps{-2, -1, 1, 2};

  void compare_gradients(PointRun& primal, PointRun& derived) {
    for (std::size_t t = 0; t < targets_.size(); ++t) {
      const Elements& gradients = derived.values(derivative_.outputs[t]);
      for (std::size_t e = 0; e < gradients.size(); ++e) {
        std::array<Enclosure, 4> values;
        for (std::size_t k = 0; k < 4; ++k) {
          Enclosure moved(inputs_[targets_[t]][e].low + step_ * kSteps[k]);
          auto changed = primal.again({{targets_[t], {{static_cast<std::int64_t>(e), moved}}}});
          auto total = changed ? objective(primal, *changed) : std::nullopt;
          if (!total) {
            report_.refusal = "the kernel is not defined beside the point";
            return;
          }
          values[k] = *total;
        }
        judge(derivative_.outputs[t], e, difference(values), gradients[e]);
      }
    }
  }

  // The sum of seed * (new - old) over the outputs.
  std::optional<Enclosure> objective(const PointRun& primal, const std::unordered_map<Symbol, ChangedElements>& changed) {
    std::optional<Enclosure> total(Rational(0));
    for (Symbol output : kernel_.outputs) {
      auto found = changed.find(output);
      if (found == changed.end()) {
        continue;
      }
      for (const auto& [position, value] : found->second) {
        auto p = static_cast<std::size_t>(position);
        auto moved = sum_of(value, negate(primal.values(output)[p]));
        auto weighed = moved ? multiply(*moved, seeds_.at(output)[p], kEnclosureBits) : std::nullopt;
        total = total && weighed ? sum_of(*total, *weighed) : std::nullopt;
      }
    }
    return total;
  }

  void compare_tangents(PointRun& primal, PointRun& derived) {
    std::array<std::unordered_map<Symbol, ChangedElements>, 4> moved;
    for (std::size_t k = 0; k < 4; ++k) {
      std::unordered_map<Symbol, ChangedElements> inputs;
      for (Symbol target : targets_) {
        for (std::size_t e = 0; e < inputs_[target].size(); ++e) {
          inputs[target].emplace(e, Enclosure(inputs_[target][e].low + step_ * kSteps[k] * seeds_[target][e].low));
        }
      }
      auto changed = primal.again(std::move(inputs));
      if (!changed) {
        report_.refusal = "the kernel is not defined beside the point";
        return;
      }
      moved[k] = std::move(*changed);
    }
    for (std::size_t o = 0; o < kernel_.outputs.size(); ++o) {
      Symbol output = kernel_.outputs[o];
      const Elements& tangents = derived.values(derivative_.outputs[o]);
      for (std::size_t e = 0; e < tangents.size(); ++e) {
        std::array<Enclosure, 4> values;
        for (std::size_t k = 0; k < 4; ++k) {
          auto found = moved[k][output].find(static_cast<std::int64_t>(e));
          values[k] = found == moved[k][output].end() ? primal.values(output)[e] : found->second;
        }
        judge(derivative_.outputs[o], e, difference(values), tangents[e]);
      }
    }
  }

  void judge(Symbol tensor, std::size_t element, const std::optional<Enclosure>& expected, const Enclosure& found) {
    ++report_.elements;
    if (!expected) {
      report_.refusal = "a difference that is not defined";
      return;
    }
    if (expected->exact() && found.exact() && expected->low == found.low) {
      ++report_.equal;
      return;
    }
    Rational bound = kNear * std::max<Rational>(Rational(1), abs(found.low));
    bool near = abs(expected->low - found.high) <= bound && abs(expected->high - found.low) <= bound;
    if (near && (!exact_ || !expected->exact() || !found.exact())) {
      ++report_.nearly;
    } else if (report_.different.empty()) {
      report_.different = fmt::format("element {} of {}: the difference is {}, the derivative {}", element, tensor.name(),
                                      to_text(*expected), to_text(found));
    }
  }

  const TkKernel& kernel_;
  const TkKernel& derivative_;
  const std::vector<Symbol>& targets_;
  bool forward_;
  DifferenceOptions options_;
  std::mt19937 random_;
  std::unordered_map<Symbol, Elements> inputs_;
  std::unordered_map<Symbol, Elements> seeds_;
  bool exact_ = false;
  Rational step_;
  DifferenceReport report_;
};

}  // namespace

DifferenceReport compare_with_differences(const TkKernel& kernel, const TkKernel& derivative, const std::vector<Symbol>& targets,
                                          bool forward, const DifferenceOptions& options) {
  DifferenceReport report = Comparison(kernel, derivative, targets, forward, options).run(false);
  // Logarithms and roots are defined on positive elements only.
  return report.refusal.empty() ? report : Comparison(kernel, derivative, targets, forward, options).run(true);
}

}  // namespace vouch
