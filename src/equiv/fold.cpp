#include "equiv/fold.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "check/prove.h"
#include "check/stores.h"
#include "equiv/affine.h"
#include "term/eval.h"
#include "term/print.h"

namespace vouch {
namespace {

constexpr std::int64_t kMostPoints = 4'000'000;

Rational magnitude(const Rational& x) { return x < 0 ? Rational(-x) : x; }

class Folding {
 public:
  Folding(const Instance& instance, const std::map<Symbol, Tensor>& values, double tolerance)
      : values_(values), tolerance_(rational_of(tolerance)), output_(instance.outputs.at(0)) {
    environment_.read = [this](Symbol tensor, std::span<const Integer> at) { return element(tensor, at); };
    environment_.steps = 2'000'000'000;
  }

  FoldProof run() {
    auto is_data = [this](Symbol tensor) { return !values_.contains(tensor); };
    auto a = affine_form(without_stores(output_.source_body.value), is_data);
    auto b = affine_form(without_stores(output_.target_body.value), is_data);
    if (!a || !b) {
      return {false, 0, "no affine form: too many summands"};
    }
    for (auto& [part, coefficients] : *a) {
      auto other = b->find(part);
      if (!compare_part(part, coefficients, other == b->end() ? std::vector<Coefficient>() : other->second)) {
        return {false, 0, reason_};
      }
    }
    for (auto& [part, coefficients] : *b) {
      if (!a->contains(part) && !compare_part(part, {}, coefficients)) {
        return {false, 0, reason_};
      }
    }
    // Upwards: the bound is a promise.
    double bound = worst_ == 0 ? 0 : std::nextafter(double_of(worst_), 1.0);
    return {true, bound, ""};
  }

 private:
  std::optional<Enclosure> element(Symbol tensor, std::span<const Integer> at) const {
    auto found = values_.find(tensor);
    if (found == values_.end() || at.size() != found->second.rank()) {
      return std::nullopt;
    }
    const Tensor& value = found->second;
    std::int64_t position = 0;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      if (at[axis] < 0 || at[axis] >= value.extents()[axis]) {
        return std::nullopt;
      }
      position = position * value.extents()[axis] + at[axis].convert_to<std::int64_t>();
    }
    if (!is_float(value.dtype())) {
      return Enclosure(Rational(value.int_at(position)));
    }
    double number = value.double_at(position);
    return std::isfinite(number) ? std::optional(Enclosure(rational_of(number))) : std::nullopt;
  }

  bool fail(std::string why) {
    reason_ = std::move(why);
    return false;
  }

  // The indices that coefficients depend on, with how many values each has.
  bool indices_of(const DataPart& part, const std::vector<Coefficient>& all, std::vector<Symbol>& names, Extents& extents) {
    for (Coefficient coefficient : all) {
      for (Symbol name : free_variables(coefficient)) {
        if (std::find(names.begin(), names.end(), name) != names.end()) {
          continue;
        }
        auto extent = extent_of(part, name);
        if (!extent) {
          return fail(fmt::format("a coefficient depends on {}, of which no number is known", name.name()));
        }
        names.push_back(name);
        extents.push_back(*extent);
      }
    }
    auto count = element_count(extents);
    return count && *count <= kMostPoints ? true : fail("there are too many coefficients");
  }

  std::optional<std::int64_t> extent_of(const DataPart& part, Symbol name) const {
    const auto& indices = output_.source_body.indices;
    if (auto at = std::find(indices.begin(), indices.end(), name); at != indices.end()) {
      return const_int(output_.source_type.extents()[static_cast<std::size_t>(at - indices.begin())]);
    }
    for (std::size_t k = 0; k < part.extents.size(); ++k) {
      if (name == Symbol(fmt::format("%{}", k))) {
        return const_int(part.extents[k]);
      }
    }
    return std::nullopt;
  }

  bool compare_part(const DataPart& part, std::vector<Coefficient> a, std::vector<Coefficient> b) {
    for (std::size_t k = a.size(); k-- > 0;) {
      if (auto same = std::find(b.begin(), b.end(), a[k]); same != b.end()) {
        b.erase(same);
        a.erase(a.begin() + static_cast<std::ptrdiff_t>(k));
      }
    }
    std::vector<Coefficient> all(a);
    all.insert(all.end(), b.begin(), b.end());
    std::vector<Symbol> names;
    Extents extents;
    if (all.empty()) {
      return true;
    }
    if (!indices_of(part, all, names, extents)) {
      return false;
    }
    std::vector<std::unique_ptr<PointEvaluator>> evaluators;
    for (Coefficient coefficient : all) {
      evaluators.push_back(std::make_unique<PointEvaluator>(coefficient, names, environment_));
    }
    return compare_points(evaluators, a.size(), extents);
  }

  bool compare_points(const std::vector<std::unique_ptr<PointEvaluator>>& evaluators, std::size_t of_a, const Extents& extents) {
    std::vector<std::int64_t> point(extents.size(), 0);
    for (std::int64_t left = *element_count(extents); left > 0; --left) {
      if (!compare_point(evaluators, of_a, point)) {
        return false;
      }
      for (std::size_t axis = extents.size(); axis-- > 0;) {
        if (++point[axis] < extents[axis]) {
          break;
        }
        point[axis] = 0;
      }
    }
    return true;
  }

  bool compare_point(const std::vector<std::unique_ptr<PointEvaluator>>& evaluators, std::size_t of_a,
                     const std::vector<std::int64_t>& point) {
    Rational low = 0;
    Rational high = 0;
    Rational scale[2] = {0, 0};
    for (std::size_t k = 0; k < evaluators.size(); ++k) {
      auto value = evaluators[k]->at(point);
      const auto* number = std::get_if<Enclosure>(&value);
      if (number == nullptr || number->infinite != 0) {
        return fail(number ? "a coefficient is infinite" : "a coefficient has no value: " + std::get<EvalFailure>(value).message);
      }
      bool first = k < of_a;
      low += first ? number->low : Rational(-number->high);
      high += first ? number->high : Rational(-number->low);
      scale[first ? 0 : 1] += std::min(magnitude(number->low), magnitude(number->high));
    }
    Rational off = std::max(magnitude(low), magnitude(high));
    if (off == 0) {
      return true;
    }
    Rational against = std::max(scale[0], scale[1]);
    if (against == 0 || off > tolerance_ * against) {
      return fail(
          fmt::format("a coefficient differs by {:.1e}, relatively", against == 0 ? 1.0 : double_of(Rational(off / against))));
    }
    worst_ = std::max(worst_, Rational(off / against));
    return true;
  }

  const std::map<Symbol, Tensor>& values_;
  Rational tolerance_;
  const InstanceOutput& output_;
  EvalEnvironment environment_;
  Rational worst_ = 0;
  std::string reason_;
};

}  // namespace

FoldProof prove_fold(const Instance& instance, const std::map<Symbol, Tensor>& values, double tolerance,
                     const ProveOptions& options) {
  if (!instance.unsupported.empty() || !instance.target_error.empty() || instance.outputs.size() != 1) {
    return {false, 0, instance.unsupported + instance.target_error};
  }
  if (!is_float(instance.outputs[0].source_type.dtype())) {
    return {false, 0, "parameters are folded in floats alone"};
  }
  FoldProof fold = Folding(instance, values, tolerance).run();
  if (fold.holds) {
    // Sizes and legality are the prover's: the same claim with nothing to show of the elements.
    Instance legal = instance;
    legal.outputs[0].target_body = legal.outputs[0].source_body;
    Proof proof = prove_instance(legal, options);
    if (proof.result != ProofResult::Exact) {
      return {false, 0, proof.reason};
    }
  }
  return fold;
}

}  // namespace vouch
