#include "kernel/ranges.h"

#include <algorithm>

#include "term/substitute.h"

namespace vouch {
namespace {

constexpr std::int64_t kUnbounded = Range::kUnbounded;

std::int64_t clamped(std::int64_t value) { return std::clamp(value, -kUnbounded, kUnbounded); }

// Once unbounded, always unbounded. Both are within ±2^62, so nothing overflows.
std::int64_t sum(std::int64_t a, std::int64_t b, std::int64_t unbounded) {
  return a == unbounded || b == unbounded ? unbounded : clamped(a + b);
}

std::int64_t product(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  if (__builtin_mul_overflow(a, b, &out)) {
    return (a < 0) == (b < 0) ? kUnbounded : -kUnbounded;
  }
  return clamped(out);
}

Range plus(Range a, Range b) { return {sum(a.low, b.low, -kUnbounded), sum(a.high, b.high, kUnbounded)}; }

Range times(Range a, Range b) {
  if (!a.bounded() || !b.bounded()) {
    bool positive = a.low >= 0 && b.low >= 0;
    return positive ? Range{0, kUnbounded} : Range{};
  }
  std::int64_t corners[] = {product(a.low, b.low), product(a.low, b.high), product(a.high, b.low),
                            product(a.high, b.high)};
  return {*std::min_element(std::begin(corners), std::end(corners)),
          *std::max_element(std::begin(corners), std::end(corners))};
}

Range constant(Term term) {
  if (auto value = const_int(term)) {
    return {clamped(*value), clamped(*value)};
  }
  return term->value > 0 ? Range{kUnbounded, kUnbounded} : Range{-kUnbounded, -kUnbounded};
}

}  // namespace

Range Ranges::of(Term integer) {
  if (auto found = known_.find(integer); found != known_.end()) {
    return found->second;
  }
  Range range = compute(integer);
  known_.emplace(integer, range);
  return range;
}

Range Ranges::quotient(Term dividend, Term divisor) {
  Range a = of(dividend);
  Range b = of(divisor);
  if (b.low < 1) {  // |a // b| <= |a| whatever b is
    std::int64_t reach = std::max(-a.low, a.high);
    return {-reach, reach};
  }
  auto low_divisor = a.low < 0 ? b.low : b.high;
  auto high_divisor = a.high < 0 ? b.high : b.low;
  return {a.low == -kUnbounded ? a.low : floor_div(a.low, low_divisor),
          a.high == kUnbounded ? a.high : floor_div(a.high, high_divisor)};
}

Range Ranges::remainder(Term term) {
  Range a = of(term.arg(0));
  Range b = of(term.arg(1));
  if (b.low < 1) {  // |a % b| < |b|
    std::int64_t reach = std::max(-b.low, b.high);
    return {-reach, reach};
  }
  if (a.low >= 0 && a.high < b.low) {
    return a;
  }
  return {0, b.high == kUnbounded ? kUnbounded : b.high - 1};
}

Range Ranges::compute(Term term) {
  switch (term.kind()) {
    case TermKind::IntConst:
      return constant(term);
    case TermKind::IntVar: {
      auto found = variables_.find(term->symbol);
      return found == variables_.end() ? Range{} : found->second;
    }
    case TermKind::IntAdd:
    case TermKind::IntMul: {
      Range total = of(term.arg(0));
      for (Term arg : term.args().subspan(1)) {
        total = term.kind() == TermKind::IntAdd ? plus(total, of(arg)) : times(total, of(arg));
      }
      return total;
    }
    case TermKind::FloorDiv:
      return quotient(term.arg(0), term.arg(1));
    case TermKind::FloorMod:
      return remainder(term);
    case TermKind::IntMin:
    case TermKind::IntMax: {
      Range a = of(term.arg(0));
      Range b = of(term.arg(1));
      return term.kind() == TermKind::IntMin ? Range{std::min(a.low, b.low), std::min(a.high, b.high)}
                                             : Range{std::max(a.low, b.low), std::max(a.high, b.high)};
    }
    case TermKind::IntSelect: {
      Range a = of(term.arg(1));
      Range b = of(term.arg(2));
      return {std::min(a.low, b.low), std::max(a.high, b.high)};
    }
    default:
      return {};
  }
}

std::optional<bool> Ranges::decide(Term guard) {
  if (auto known = const_bool(guard)) {
    return known;
  }
  if (guard.kind() != TermKind::IntLe && guard.kind() != TermKind::IntEq) {
    return std::nullopt;
  }
  Range difference = of(guard.arg(1) - guard.arg(0));
  if (guard.kind() == TermKind::IntLe) {
    return difference.low >= 0 ? std::optional(true) : difference.high < 0 ? std::optional(false) : std::nullopt;
  }
  if (difference.low > 0 || difference.high < 0) {
    return false;
  }
  return difference == Range{0, 0} ? std::optional(true) : std::nullopt;
}

bool Ranges::non_negative(Term integer, std::span<const Term> facts) {
  if (of(integer).low >= 0) {
    return true;
  }
  return std::any_of(facts.begin(), facts.end(), [&](Term fact) {
    // a <= b gives integer >= integer - (b - a)
    return fact.kind() == TermKind::IntLe && of(integer - (fact.arg(1) - fact.arg(0))).low >= 0;
  });
}

Term Ranges::resolve(Term term) {
  switch (term.kind()) {
    case TermKind::FloorDiv:
    case TermKind::FloorMod: {
      Range quotients = quotient(term.arg(0), term.arg(1));
      if (of(term.arg(1)).low < 1 || quotients.low != quotients.high || !quotients.bounded()) {
        return term;
      }
      return term.kind() == TermKind::FloorDiv ? Term(quotients.low)
                                               : term.arg(0) - Term(quotients.low) * term.arg(1);
    }
    case TermKind::IntMin:
    case TermKind::IntMax:
      if (auto first_is_less = decide(le(term.arg(0), term.arg(1)))) {
        return term.arg(*first_is_less == (term.kind() == TermKind::IntMin) ? 0 : 1);
      }
      return term;
    case TermKind::IntLe:
    case TermKind::IntEq:
      if (auto known = decide(term)) {
        return bool_const(*known);
      }
      return term;
    default:
      return term;
  }
}

Term Ranges::simplify(Term term) {
  if (term.args().empty()) {
    return term;
  }
  if (auto found = simplified_.find(term); found != simplified_.end()) {
    return found->second;
  }
  std::vector<Term> args;
  bool changed = false;
  for (Term arg : term.args()) {
    args.push_back(simplify(arg));
    changed |= args.back() != arg;
  }
  Term result = resolve(changed ? rebuild(term, args) : term);
  simplified_.emplace(term, result);
  return result;
}

}  // namespace vouch
