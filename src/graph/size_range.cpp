#include "graph/size_range.h"

#include <algorithm>
#include <optional>

#include "tensor/element.h"

namespace vouch {
namespace {

constexpr std::int64_t kLargestSize = (std::int64_t{1} << 30) - 1;

NumberRange range_product(const NumberRange& a, const NumberRange& b) {
  auto ends = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  return {std::min(ends), std::max(ends)};
}

class IntegerRanges {
 public:
  explicit IntegerRanges(const std::function<NumberRange(Symbol)>& variables) : variables_(variables) {}

  // Nothing where the number may be anything.
  std::optional<NumberRange> of(Term t) const {
    switch (t.kind()) {
      case TermKind::IntConst:
      case TermKind::RealConst: return NumberRange{t->value, t->value};
      case TermKind::IntVar: return variables_(t->symbol);
      case TermKind::RealOf: return of(t.arg(0));
      case TermKind::IntAdd:
        return combined(t.args(), [](const NumberRange& a, const NumberRange& b) {
          return NumberRange{a.low + b.low, a.high + b.high};
        });
      case TermKind::IntMul: return combined(t.args(), range_product);
      case TermKind::IntMin:
        return combined(t.args(), [](const NumberRange& a, const NumberRange& b) {
          return NumberRange{std::min(a.low, b.low), std::min(a.high, b.high)};
        });
      case TermKind::IntMax:
        return combined(t.args(), [](const NumberRange& a, const NumberRange& b) {
          return NumberRange{std::max(a.low, b.low), std::max(a.high, b.high)};
        });
      case TermKind::IntSelect:
        return combined(t.args().subspan(1), [](const NumberRange& a, const NumberRange& b) {
          return NumberRange{std::min(a.low, b.low), std::max(a.high, b.high)};
        });
      case TermKind::FloorDiv: {
        auto all = is_const(t.arg(1)) && t.arg(1)->value > 0 ? of(t.arg(0)) : std::nullopt;
        return all ? std::optional(NumberRange{Rational(floor_of(all->low / t.arg(1)->value)), all->high / t.arg(1)->value})
                   : std::nullopt;
      }
      case TermKind::FloorMod:
        return is_const(t.arg(1)) && t.arg(1)->value > 0 ? std::optional(NumberRange{0, t.arg(1)->value - 1}) : std::nullopt;
      default: return std::nullopt;
    }
  }

 private:
  // Of all operands together, one by one.
  template <class F>
  std::optional<NumberRange> combined(std::span<const Term> args, F combine) const {
    std::optional<NumberRange> all;
    for (Term arg : args) {
      auto own = of(arg);
      if (!own) {
        return std::nullopt;
      }
      all = all ? combine(*all, *own) : *own;
    }
    return all;
  }

  const std::function<NumberRange(Symbol)>& variables_;
};

// The integers of a type of floats between which there are no gaps.
NumberRange whole_numbers(DType dtype) {
  const std::int64_t most = std::int64_t{1} << exact_bits(dtype);
  return {-most, most};
}

}  // namespace

NumberRange counted_sizes() { return {0, kLargestSize}; }

bool holds_whatever(DType dtype, Term number, const std::function<NumberRange(Symbol)>& variables) {
  auto all = IntegerRanges(variables).of(number);
  NumberRange kept = is_float(dtype) ? whole_numbers(dtype) : range_of(dtype);
  return all && kept.low <= all->low && all->high <= kept.high;
}

bool holds_whatever_sizes(DType dtype, Term number) {
  return dtype == DType::Int64 || holds_whatever(dtype, number, [](Symbol) { return counted_sizes(); });
}

}  // namespace vouch
