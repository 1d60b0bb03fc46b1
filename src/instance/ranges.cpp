#include "instance/ranges.h"

#include <algorithm>
#include <array>

namespace vouch {

std::optional<NumberRange> Ranges::of(Term term) {
  auto [at, is_new] = known_.try_emplace(term);
  if (!is_new) {
    return at->second;
  }
  std::optional<NumberRange> out = computed(term);
  known_.insert_or_assign(term, out);
  return out;
}

std::optional<NumberRange> Ranges::computed(Term term) {
  if (auto dtype = type_of_(term)) {
    return is_float(*dtype) ? std::nullopt : std::optional(range_of(*dtype));
  }
  switch (term.kind()) {
    case TermKind::RealConst: return NumberRange{term->value, term->value};
    case TermKind::RealNeg: {
      auto inner = of(term.arg(0));
      return inner ? std::optional(NumberRange{-inner->high, -inner->low}) : std::nullopt;
    }
    case TermKind::Reduce: return summed(term);
    case TermKind::Select:
    case TermKind::RealAdd:
    case TermKind::RealSub:
    case TermKind::RealMul: return combined(term);
    case TermKind::Call: return term->fn == Fn::Max || term->fn == Fn::Min ? combined(term) : std::nullopt;
    default: return std::nullopt;
  }
}

std::optional<NumberRange> Ranges::combined(Term term) {
  const std::size_t first = term.kind() == TermKind::Select ? 1 : 0;
  auto a = of(term.arg(first));
  auto b = of(term.arg(first + 1));
  if (!a || !b) {
    return std::nullopt;
  }
  switch (term.kind()) {
    case TermKind::Select: return NumberRange{std::min(a->low, b->low), std::max(a->high, b->high)};
    case TermKind::RealAdd: return NumberRange{a->low + b->low, a->high + b->high};
    case TermKind::RealSub: return NumberRange{a->low - b->high, a->high - b->low};
    case TermKind::RealMul: {
      std::array<Rational, 4> corners{a->low * b->low, a->low * b->high, a->high * b->low, a->high * b->high};
      auto [low, high] = std::minmax_element(corners.begin(), corners.end());
      return NumberRange{*low, *high};
    }
    default: break;
  }
  bool least = term->fn == Fn::Min;
  return least ? NumberRange{std::min(a->low, b->low), std::min(a->high, b->high)}
               : NumberRange{std::max(a->low, b->low), std::max(a->high, b->high)};
}

// As often as the indices say, or less, where the guard does not hold.
std::optional<NumberRange> Ranges::summed(Term term) {
  auto body = of(term.arg(0));
  if (!body || term->reduction != Reduction::Sum) {
    return std::nullopt;
  }
  Rational count = 1;
  for (std::size_t k = 2; k < term.args().size(); ++k) {
    auto extent = const_int(term.arg(k));
    if (!extent) {
      return std::nullopt;
    }
    count *= Rational(std::max<std::int64_t>(*extent, 0));
  }
  const Rational none = 0;
  return NumberRange{count * std::min(body->low, none), count * std::max(body->high, none)};
}

}  // namespace vouch
