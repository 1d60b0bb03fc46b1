#include "equiv/product.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace vouch {
namespace {

// Rounding to nearest is off by half a unit in the last place.
FloatInterval widened(double low, double high) { return {std::nextafter(low, -kInfinity), std::nextafter(high, kInfinity)}; }

double at_most(const Rational& value) {
  double out = double_of(value);
  while (std::isfinite(out) && is_less(value, rational_of(out))) {
    out = std::nextafter(out, -kInfinity);
  }
  return out;
}

double at_least(const Rational& value) {
  double out = double_of(value);
  while (std::isfinite(out) && is_less(rational_of(out), value)) {
    out = std::nextafter(out, kInfinity);
  }
  return out;
}

}  // namespace

FloatInterval operator+(FloatInterval a, FloatInterval b) { return widened(a.low + b.low, a.high + b.high); }

FloatInterval operator*(FloatInterval a, FloatInterval b) {
  std::array<double, 4> all{a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  auto [low, high] = std::minmax_element(all.begin(), all.end());
  return widened(*low, *high);
}

FloatInterval operator-(FloatInterval a) { return {-a.high, -a.low}; }

FloatInterval interval_of(const Enclosure& value) { return {at_most(value.low), at_least(value.high)}; }

ProductEvaluator::ProductEvaluator(Coefficient coefficient, std::span<const Symbol> indices, const Extents& extents,
                                   const EvalEnvironment& environment, const std::map<Symbol, Tensor>& values)
    : extents_(extents), exact_(coefficient, indices, environment) {
  std::vector<Term> factors;
  add_factors(coefficient, factors);
  for (Term factor : factors) {
    Factor& one = factors_.emplace_back();
    one.value = std::make_unique<PointEvaluator>(factor, indices, environment);
    std::vector<Symbol> free = free_variables(factor);
    std::int64_t count = 1;
    for (std::size_t axis = 0; axis < indices.size(); ++axis) {
      if (std::find(free.begin(), free.end(), indices[axis]) != free.end()) {
        one.axes.push_back(axis);
        count *= extents[axis];
      }
    }
    one.lookup = lookup_of(factor, indices, extents, values);
    one.known.resize(one.axes.size() < indices.size() ? static_cast<std::size_t>(count) : 0);
  }
}

std::optional<ProductEvaluator::Lookup> ProductEvaluator::lookup_of(Term factor, std::span<const Symbol> indices,
                                                                    const Extents& extents,
                                                                    const std::map<Symbol, Tensor>& values) {
  auto found = factor.kind() == TermKind::Read ? values.find(factor->symbol) : values.end();
  if (found == values.end() || !is_float(found->second.dtype()) || found->second.rank() != factor.args().size()) {
    return std::nullopt;
  }
  Lookup out{&found->second, 0, {}};
  std::int64_t stride = 1;
  for (std::size_t axis = factor.args().size(); axis-- > 0;) {
    Term place = factor.arg(axis);
    std::int64_t extent = found->second.extents()[axis];
    auto index = std::find_if(indices.begin(), indices.end(), [&](Symbol name) { return place == int_var(name); });
    auto position = static_cast<std::size_t>(index - indices.begin());
    auto number = const_int(place);
    if (index != indices.end() && extents[position] <= extent) {
      out.strides.emplace_back(position, stride);
    } else if (number && *number >= 0 && *number < extent) {
      out.first += *number * stride;
    } else {
      return std::nullopt;
    }
    stride *= extent;
  }
  return out;
}

void ProductEvaluator::add_factors(Term term, std::vector<Term>& out) {
  switch (term.kind()) {
    case TermKind::RealMul:
      add_factors(term.arg(0), out);
      add_factors(term.arg(1), out);
      return;
    case TermKind::RealNeg:
      out.push_back(real_const(-1));
      add_factors(term.arg(0), out);
      return;
    case TermKind::RealDiv:
      add_factors(term.arg(0), out);
      out.push_back(real_const(1) / term.arg(1));
      return;
    default: out.push_back(term);
  }
}

std::optional<FloatInterval> ProductEvaluator::value_of(Factor& factor, std::span<const std::int64_t> point) {
  if (factor.lookup) {
    std::int64_t at = factor.lookup->first;
    for (const auto& [position, stride] : factor.lookup->strides) {
      at += point[position] * stride;
    }
    double number = factor.lookup->tensor->double_at(at);
    return std::isfinite(number) ? std::optional(FloatInterval{number, number}) : std::nullopt;
  }
  auto value = factor.value->at(point);
  const auto* number = std::get_if<ExactNumber>(&value);
  return number != nullptr && number->infinite() == 0 ? std::optional(interval_of(number->enclosure())) : std::nullopt;
}

std::optional<FloatInterval> ProductEvaluator::at(std::span<const std::int64_t> point) {
  FloatInterval out{1, 1};
  for (Factor& factor : factors_) {
    std::size_t place = 0;
    for (std::size_t axis : factor.axes) {
      place = place * static_cast<std::size_t>(extents_[axis]) + static_cast<std::size_t>(point[axis]);
    }
    // What depends on every index has another value each time.
    std::optional<FloatInterval> value = factor.known.empty() ? value_of(factor, point) : factor.known[place];
    if (!value && !factor.known.empty()) {
      value = factor.known[place] = value_of(factor, point);
    }
    if (!value) {
      return std::nullopt;
    }
    out = out * *value;
  }
  bool finite = std::isfinite(out.low) && std::isfinite(out.high);
  return finite ? std::optional(out) : std::nullopt;
}

}  // namespace vouch
