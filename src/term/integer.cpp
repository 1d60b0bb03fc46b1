// Integer terms in normal form: sums of monomials `coefficient * atom * …`, in the order of `compare`.
#include <algorithm>
#include <array>

#include "support/fault.h"
#include "term/intern.h"
#include "term/remembered.h"
#include "term/term.h"

namespace vouch {
namespace {

// Longer products of atoms first, then by structure; the constant comes last.
std::strong_ordering order_of(std::span<const Term> a, std::span<const Term> b) {
  if (a.size() != b.size()) {
    return b.size() <=> a.size();
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (auto c = compare(a[i], b[i]); c != 0) {
      return c;
    }
  }
  return std::strong_ordering::equal;
}

bool monomial_before(const Monomial& a, const Monomial& b) { return order_of(a.atoms, b.atoms) < 0; }

bool term_before(Term a, Term b) { return compare(a, b) < 0; }

Monomial as_monomial(const Term& term) {
  std::span<const Term> atoms = atoms_of(term);
  return {coefficient_of(term), {atoms.begin(), atoms.end()}};
}

// Both are in order, and so is what comes out.
Term merged(const Term& a, const Term& b) {
  std::span<const Term> left = summands_of(a);
  std::span<const Term> right = summands_of(b);
  std::vector<Term> out;
  out.reserve(left.size() + right.size());
  while (!left.empty() && !right.empty()) {
    auto c = order_of(atoms_of(left[0]), atoms_of(right[0]));
    if (c == 0) {
      Integer both = coefficient_of(left[0]) + coefficient_of(right[0]);
      if (both != 0) {
        out.push_back(multiple_of(both, atoms_of(left[0])));
      }
    } else {
      out.push_back(c < 0 ? left[0] : right[0]);
    }
    left = left.subspan(c <= 0 ? 1 : 0);
    right = right.subspan(c >= 0 ? 1 : 0);
  }
  out.insert(out.end(), left.begin(), left.end());
  out.insert(out.end(), right.begin(), right.end());
  return sum_in_order(out);
}

// By a number other than 0, which leaves the order as it is.
Term scaled(const Integer& factor, const Term& sum) {
  std::vector<Term> out;
  for (const Term& summand : summands_of(sum)) {
    out.push_back(multiple_of(factor * coefficient_of(summand), atoms_of(summand)));
  }
  return sum_in_order(out);
}

// m / divisor, if every atom of the divisor is an atom of m and the coefficient divides.
std::optional<Monomial> exact_quotient(const Monomial& m, const Monomial& divisor) {
  if (m.coefficient % divisor.coefficient != 0) {
    return std::nullopt;
  }
  Monomial quotient{m.coefficient / divisor.coefficient, m.atoms};
  for (Term atom : divisor.atoms) {
    auto at = std::find(quotient.atoms.begin(), quotient.atoms.end(), atom);
    if (at == quotient.atoms.end()) {
      return std::nullopt;
    }
    quotient.atoms.erase(at);
  }
  return quotient;
}

struct Quotient {
  Term whole;
  Term rest;
};

// e == whole * divisor + rest, taking out every monomial that the divisor divides (identity (q*m + r)//m == q + r//m).
Quotient split_quotient(Term e, Term divisor) {
  if (e == divisor) {
    return {1, 0};
  }
  std::vector<Monomial> divisors = monomials(divisor);
  std::vector<Monomial> whole;
  std::vector<Monomial> rest;
  if (divisors.size() != 1) {
    return {0, e};
  }
  for (Monomial& m : monomials(e)) {
    if (auto quotient = exact_quotient(m, divisors[0])) {
      whole.push_back(std::move(*quotient));
    } else if (divisors[0].atoms.empty()) {
      Integer q = floor_div(m.coefficient, divisors[0].coefficient);
      if (q != 0) {
        whole.push_back({q, m.atoms});
      }
      rest.push_back({m.coefficient - q * divisors[0].coefficient, std::move(m.atoms)});
    } else {
      rest.push_back(std::move(m));
    }
  }
  return {from_monomials(whole), from_monomials(rest)};
}

}  // namespace

std::span<const Term> summands_of(const Term& sum) {
  if (sum.kind() == TermKind::IntAdd) {
    return sum.args();
  }
  bool is_zero = sum.kind() == TermKind::IntConst && numerator(sum->value) == 0;
  return {&sum, is_zero ? std::size_t{0} : std::size_t{1}};
}

std::span<const Term> atoms_of(const Term& summand) {
  if (summand.kind() == TermKind::IntConst) {
    return {};
  }
  if (summand.kind() != TermKind::IntMul) {
    return {&summand, 1};
  }
  return summand.args().subspan(summand.arg(0).kind() == TermKind::IntConst ? 1 : 0);
}

Integer coefficient_of(Term summand) {
  Term first = summand.kind() == TermKind::IntMul ? summand.arg(0) : summand;
  return first.kind() == TermKind::IntConst ? Integer(numerator(first->value)) : Integer(1);
}

Term multiple_of(const Integer& coefficient, std::span<const Term> atoms) {
  if (atoms.empty()) {
    return int_const(coefficient);
  }
  if (coefficient == 1) {
    return atoms.size() == 1 ? atoms[0] : make_node(TermKind::IntMul, Sort::Int, atoms);
  }
  std::vector<Term> args{int_const(coefficient)};
  args.insert(args.end(), atoms.begin(), atoms.end());
  return make_node(TermKind::IntMul, Sort::Int, args);
}

Term sum_in_order(std::span<const Term> summands) {
  if (summands.empty()) {
    return int_const(0);
  }
  return summands.size() == 1 ? summands[0] : make_node(TermKind::IntAdd, Sort::Int, summands);
}

static Term make_constant(const Integer& value) {
  TermNode node{.kind = TermKind::IntConst, .sort = Sort::Int, .symbol = {}, .value = Rational(value), .args = {}, .bound = {}};
  return intern(std::move(node));
}

// Constants are everywhere: each thread keeps those that it had last.
Term::Term(std::int64_t value) {
  constexpr unsigned kLog = 10;
  thread_local constinit std::array<std::pair<std::int64_t, Term>, std::size_t{1} << kLog> had{};
  auto& [number, term] = had[(static_cast<std::uint64_t>(value) * 0x9e3779b97f4a7c15ULL) >> (64 - kLog)];
  if (!term || number != value) {
    number = value;
    term = make_constant(Integer(value));
  }
  *this = term;
}

Term int_const(const Integer& value) {
  auto word = int64_of(value);
  return word ? Term(*word) : make_constant(value);
}

Term int_var(Symbol name) {
  TermNode node{.kind = TermKind::IntVar, .sort = Sort::Int, .symbol = name, .value = {}, .args = {}, .bound = {}};
  return intern(std::move(node));
}

Term int_var(std::string_view name) { return int_var(Symbol(name)); }

std::vector<Monomial> monomials(Term integer) {
  ensure(integer.sort() == Sort::Int, "monomials of a term that is no integer term");
  std::span<const Term> summands = summands_of(integer);
  std::vector<Monomial> out;
  out.reserve(summands.size());
  for (const Term& summand : summands) {
    out.push_back(as_monomial(summand));
  }
  return out;
}

Term from_monomials(const std::vector<Monomial>& sum) {
  std::vector<Monomial> sorted = sum;
  std::stable_sort(sorted.begin(), sorted.end(), monomial_before);
  std::vector<Term> summands;
  for (std::size_t i = 0; i < sorted.size();) {
    Monomial& whole = sorted[i];
    for (++i; i < sorted.size() && sorted[i].atoms == whole.atoms; ++i) {
      whole.coefficient += sorted[i].coefficient;
    }
    if (whole.coefficient != 0) {
      summands.push_back(multiple_of(whole.coefficient, whole.atoms));
    }
  }
  return sum_in_order(summands);
}

Term int_add(Term a, Term b) {
  if (a.kind() == TermKind::IntConst && b.kind() == TermKind::IntConst) {
    return int_const(Integer(numerator(a->value)) + Integer(numerator(b->value)));
  }
  return remembered(TermOp::Add, a, b, [&] { return merged(a, b); });
}

static Term multiplied(Term a, Term b) {
  for (auto [one, other] : {std::pair(a, b), std::pair(b, a)}) {
    if (one.kind() == TermKind::IntConst) {
      Integer factor(numerator(one->value));
      return factor == 0 ? one : scaled(factor, other);
    }
  }
  std::vector<Monomial> product;
  std::vector<Monomial> right = monomials(b);
  for (const Monomial& x : monomials(a)) {
    for (const Monomial& y : right) {
      Monomial m{x.coefficient * y.coefficient, x.atoms};
      m.atoms.insert(m.atoms.end(), y.atoms.begin(), y.atoms.end());
      std::stable_sort(m.atoms.begin(), m.atoms.end(), term_before);
      product.push_back(std::move(m));
    }
  }
  return from_monomials(product);
}

Term int_mul(Term a, Term b) {
  return remembered(TermOp::Mul, a, b, [&] { return multiplied(a, b); });
}

Term product_of(std::span<const Term> factors) {
  Term product = 1;
  for (Term factor : factors) {
    product = int_mul(product, factor);
  }
  return product;
}

Term sum_of(std::span<const Term> summands) {
  std::vector<Monomial> sum;
  for (Term summand : summands) {
    for (Monomial& m : monomials(summand)) {
      sum.push_back(std::move(m));
    }
  }
  return from_monomials(sum);
}

static Term divided(Term a, Term b) {
  auto divisor = const_int(b);
  if (divisor == 0) {
    return make_node(TermKind::FloorDiv, Sort::Int, {a, b});  // whoever evaluates it says so
  }
  if (divisor == 1) {
    return a;
  }
  auto [whole, rest] = split_quotient(a, b);
  if (rest.kind() == TermKind::IntConst) {
    if (numerator(rest->value) == 0) {
      return whole;
    }
    if (b.kind() == TermKind::IntConst) {
      return int_add(whole, int_const(floor_div(Integer(numerator(rest->value)), Integer(numerator(b->value)))));
    }
  }
  // (e // c) // b == e // (c * b) for b > 0
  if (divisor && *divisor > 0 && rest.kind() == TermKind::FloorDiv) {
    return int_add(whole, floor_div(rest.arg(0), int_mul(rest.arg(1), b)));
  }
  return int_add(whole, make_node(TermKind::FloorDiv, Sort::Int, {rest, b}));
}

Term floor_div(Term a, Term b) {
  return remembered(TermOp::FloorDiv, a, b, [&] { return divided(a, b); });
}

Term floor_mod(Term a, Term b) {
  auto divisor = const_int(b);
  if (divisor == 0) {
    return make_node(TermKind::FloorMod, Sort::Int, {a, b});
  }
  if (divisor == 1) {
    return 0;
  }
  Term rest = split_quotient(a, b).rest;
  if (rest.kind() == TermKind::IntConst) {
    if (numerator(rest->value) == 0) {
      return 0;
    }
    if (b.kind() == TermKind::IntConst) {
      return int_const(floor_mod(Integer(numerator(rest->value)), Integer(numerator(b->value))));
    }
  }
  return make_node(TermKind::FloorMod, Sort::Int, {rest, b});
}

Term ceil_div(Term a, Term b) { return -floor_div(-a, b); }

// Is b one of those that a is the extremum of?
static bool is_among(TermKind kind, Term b, Term a) {
  return a == b || (a.kind() == kind && (is_among(kind, b, a.arg(0)) || is_among(kind, b, a.arg(1))));
}

static Term extremum(TermKind kind, Term a, Term b) {
  Term difference = a - b;
  if (difference.kind() == TermKind::IntConst) {
    bool a_is_less = numerator(difference->value) < 0;
    return a_is_less == (kind == TermKind::IntMin) ? a : b;
  }
  if (is_among(kind, b, a)) {
    return a;
  }
  if (is_among(kind, a, b)) {
    return b;
  }
  if (compare(a, b) > 0) {
    std::swap(a, b);
  }
  return make_node(kind, Sort::Int, {a, b});
}

Term int_min(Term a, Term b) { return extremum(TermKind::IntMin, a, b); }
Term int_max(Term a, Term b) { return extremum(TermKind::IntMax, a, b); }

Term int_select(Term guard, Term then, Term otherwise) {
  if (then == otherwise) {
    return then;
  }
  if (auto known = const_bool(guard)) {
    return *known ? then : otherwise;
  }
  return make_node(TermKind::IntSelect, Sort::Int, {guard, then, otherwise});
}

// A list of numbers, read at an index that no data decide.
static bool is_whole_by_sizes(Term scalar) {
  if (scalar.kind() == TermKind::Select) {
    return tensors_read(scalar.arg(0)).empty() && is_whole_by_sizes(scalar.arg(1)) && is_whole_by_sizes(scalar.arg(2));
  }
  return scalar.kind() == TermKind::RealOf || (scalar.kind() == TermKind::RealConst && is_integral(scalar->value));
}

Term int_of(Term scalar) {
  ensure(scalar.sort() == Sort::Real, "an index from data needs a scalar term");
  if (scalar.kind() == TermKind::RealOf) {
    return scalar.arg(0);
  }
  if (scalar.kind() == TermKind::RealConst && is_integral(scalar->value)) {
    return int_const(Integer(numerator(scalar->value)));
  }
  if (scalar.kind() == TermKind::Select && is_whole_by_sizes(scalar)) {
    return int_select(scalar.arg(0), int_of(scalar.arg(1)), int_of(scalar.arg(2)));
  }
  return make_node(TermKind::IntOf, Sort::Int, {scalar});
}

}  // namespace vouch
