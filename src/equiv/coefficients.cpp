#include "equiv/coefficients.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tensor/element.h"
#include "term/substitute.h"

namespace vouch {
namespace {

constexpr std::int64_t kMostPoints = 4'000'000;
Rational magnitude(const Rational& x) { return x < 0 ? Rational(-x) : x; }

// What both sides have is no difference.
void drop_common(std::vector<Coefficient>& a, std::vector<Coefficient>& b) {
  for (std::size_t k = a.size(); k-- > 0;) {
    if (auto same = std::find(b.begin(), b.end(), a[k]); same != b.end()) {
      b.erase(same);
      a.erase(a.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }
}

bool is_sum(Term term) {
  return term.kind() == TermKind::RealAdd || term.kind() == TermKind::RealSub ||
         (term.kind() == TermKind::Reduce && term->reduction == Reduction::Sum) ||
         std::any_of(term.args().begin(), term.args().end(), [](Term arg) { return arg.sort() == Sort::Real && is_sum(arg); });
}

// Of a sum, that of the magnitudes: nothing cancels.
Term magnitude_of(Term term) {
  std::vector<Term> args(term.args().begin(), term.args().end());
  switch (term.kind()) {
    case TermKind::RealAdd:
    case TermKind::RealSub: return magnitude_of(args[0]) + magnitude_of(args[1]);
    case TermKind::RealMul: return magnitude_of(args[0]) * magnitude_of(args[1]);
    case TermKind::RealDiv: return magnitude_of(args[0]) / call(Fn::Abs, {args[1]});
    case TermKind::RealNeg: return magnitude_of(args[0]);
    case TermKind::Select: return select(args[0], magnitude_of(args[1]), magnitude_of(args[2]));
    case TermKind::Reduce:
      if (term->reduction == Reduction::Sum) {
        args[0] = magnitude_of(args[0]);
        return rebuild(term, args);
      }
      [[fallthrough]];
    default: return call(Fn::Abs, {term});
  }
}

}  // namespace

Coefficients::Coefficients(const std::map<Symbol, Tensor>& values, double tolerance, std::int64_t steps)
    : values_(values), tolerance_(rational_of(tolerance)), fast_tolerance_(std::nextafter(tolerance, 0.0)) {
  environment_.read = [this](Symbol tensor, std::span<const std::int64_t> at) { return element(tensor, at); };
  environment_.steps = steps;
}

std::optional<ExactNumber> Coefficients::element(Symbol tensor, std::span<const std::int64_t> at) const {
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
    position = position * value.extents()[axis] + at[axis];
  }
  if (!is_float(value.dtype())) {
    return ExactNumber(whole_element(value, position));
  }
  double number = value.double_at(position);
  return std::isfinite(number) ? std::optional(ExactNumber(rational_of(number))) : std::nullopt;
}

bool Coefficients::fail(std::string why) {
  reason_ = std::move(why);
  return false;
}

bool Coefficients::compare(std::vector<Coefficient> a, std::vector<Coefficient> b, const IndexExtents& extents, bool equal) {
  equal_ = equal;
  drop_common(a, b);
  std::vector<Coefficient> all(a);
  all.insert(all.end(), b.begin(), b.end());
  std::vector<Symbol> names;
  Extents counts;
  for (Coefficient coefficient : all) {
    for (Symbol name : free_variables(coefficient)) {
      if (std::find(names.begin(), names.end(), name) != names.end()) {
        continue;
      }
      auto extent = extents.find(name);
      if (extent == extents.end()) {
        return fail(fmt::format("a coefficient depends on {}, of which no number is known", name.name()));
      }
      names.push_back(name);
      counts.push_back(extent->second);
    }
  }
  auto count = element_count(counts);
  if (!count || *count > kMostPoints) {
    return fail("there are too many coefficients");
  }
  return all.empty() || compare_points(all, a.size(), names, counts);
}

bool Coefficients::compare_points(const std::vector<Coefficient>& all, std::size_t of_a, const std::vector<Symbol>& names,
                                  const Extents& extents) {
  Products products;
  for (Coefficient coefficient : all) {
    auto evaluator = [&](Term term) { return std::make_unique<ProductEvaluator>(term, names, extents, environment_, values_); };
    products.push_back({evaluator(coefficient), is_sum(coefficient) ? evaluator(magnitude_of(coefficient)) : nullptr});
  }
  std::vector<std::int64_t> point(extents.size(), 0);
  for (std::int64_t left = *element_count(extents); left > 0; --left) {
    if ((equal_ || !is_surely_close(products, of_a, point)) && !compare_point(products, of_a, point)) {
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

bool Coefficients::is_surely_close(const Products& products, std::size_t of_a, const std::vector<std::int64_t>& point) {
  FloatInterval difference;
  FloatInterval scale[2];
  for (std::size_t k = 0; k < products.size(); ++k) {
    auto value = products[k].value->at(point);
    auto magnitude = value && products[k].magnitude ? products[k].magnitude->at(point) : value;
    if (!magnitude) {
      return false;
    }
    bool first = k < of_a;
    difference = difference + (first ? *value : -*value);
    double least = magnitude->low > 0 ? magnitude->low : magnitude->high < 0 ? -magnitude->high : 0;
    scale[first ? 0 : 1] = scale[first ? 0 : 1] + FloatInterval{least, least};
  }
  bool differs = difference.low > 0 || difference.high < 0;
  double off = std::max(std::abs(difference.low), std::abs(difference.high));
  double against = std::max(scale[0].low, scale[1].low);
  if (!differs || !(against > 0)) {
    return false;
  }
  double relative = std::nextafter(off / against, kInfinity);
  if (!(relative <= fast_tolerance_)) {
    return false;
  }
  fast_worst_ = std::max(fast_worst_, relative);
  return true;
}

std::optional<Enclosure> Coefficients::enclosure(ProductEvaluator& product, std::span<const std::int64_t> point) {
  auto value = product.exact_at(point);
  const auto* known = std::get_if<ExactNumber>(&value);
  if (known == nullptr || known->infinite() != 0) {
    fail(known ? "a coefficient is infinite" : "a coefficient has no value: " + std::get<EvalFailure>(value).message);
    return std::nullopt;
  }
  return known->enclosure();
}

bool Coefficients::compare_point(const Products& products, std::size_t of_a, const std::vector<std::int64_t>& point) {
  Rational low = 0;
  Rational high = 0;
  Rational scale[2] = {0, 0};
  for (std::size_t k = 0; k < products.size(); ++k) {
    auto number = enclosure(*products[k].value, point);
    auto size = number && products[k].magnitude ? enclosure(*products[k].magnitude, point) : number;
    if (!size) {
      return false;
    }
    bool first = k < of_a;
    low += first ? number->low : Rational(-number->high);
    high += first ? number->high : Rational(-number->low);
    scale[first ? 0 : 1] += std::min(magnitude(size->low), magnitude(size->high), is_less);
  }
  Rational off = std::max(magnitude(low), magnitude(high), is_less);
  if (off == 0) {
    return true;
  }
  Rational against = std::max(scale[0], scale[1], is_less);
  if (against == 0 || equal_ || is_less(tolerance_ * against, off)) {
    return fail(
        fmt::format("a coefficient differs by {:.1e}, relatively", against == 0 ? 1.0 : double_of(Rational(off / against))));
  }
  worst_ = std::max(worst_, Rational(off / against), is_less);
  return true;
}

}  // namespace vouch
