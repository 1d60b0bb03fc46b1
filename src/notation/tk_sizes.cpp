#include "notation/tk_sizes.h"

#include <algorithm>
#include <unordered_map>

#include "term/substitute.h"

namespace vouch {
namespace {

constexpr int kMostConditions = 4;  // taken together

struct InOrder {
  bool operator()(const std::vector<Term>& a, const std::vector<Term>& b) const {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [](Term x, Term y) { return compare(x, y) < 0; });
  }
};

// Sum of rational multiples of products of sizes; at least, or at most, the term it stands for.
struct Fractions {
  std::map<std::vector<Term>, Rational, InOrder> parts;
  Rational constant = 0;
  bool known = true;
};

// Adds `factor * term`, or less; an upper bound of the term is this of its negative.
void add_fractions(Term term, const Rational& factor, const SizeFacts& facts, Fractions& out) {
  for (const Monomial& monomial : monomials(term)) {
    Rational scale = factor * Rational(monomial.coefficient);
    Term atom = monomial.atoms.size() == 1 ? monomial.atoms[0] : Term();
    bool division = atom && (atom.kind() == TermKind::FloorDiv || atom.kind() == TermKind::FloorMod);
    std::int64_t by = division ? const_int(atom.arg(1)).value_or(0) : 0;
    bool plain = std::all_of(monomial.atoms.begin(), monomial.atoms.end(),
                             [&](Term a) { return a.kind() == TermKind::IntVar && facts.has(a->symbol); });
    if (monomial.atoms.empty()) {
      out.constant += scale;
    } else if (plain) {
      out.parts[monomial.atoms] += scale;
    } else if (by > 0 && atom.kind() == TermKind::FloorDiv) {  // (a - (by - 1)) / by <= a // by <= a / by
      add_fractions(atom.arg(0), scale / Rational(by), facts, out);
      out.constant -= scale > 0 ? scale * Rational(by - 1) / Rational(by) : Rational(0);
    } else if (by > 0) {  // 0 <= a % by <= by - 1
      out.constant += scale < 0 ? scale * Rational(by - 1) : Rational(0);
    } else {
      out.known = false;
    }
  }
}

// At least this where each size is `size` (0 or 1) or more; only if no coefficient is negative.
bool above_minus_one(const Fractions& sum, int size) {
  Rational least = sum.constant;
  for (const auto& [atoms, factor] : sum.parts) {
    if (factor < 0) {
      return false;
    }
    least += factor * Rational(size);
  }
  return least > -1;
}

// `condition` is at most the negative of what is at least 0: how often it is added until nothing is left of `part`; 0 if never.
Rational times_to_cancel(const std::pair<const std::vector<Term>, Rational>& part, const Fractions& condition) {
  auto at = condition.parts.find(part.first);
  Rational times = at == condition.parts.end() || at->second == 0 ? Rational(0) : Rational(-part.second / at->second);
  return times > 0 ? times : Rational(0);
}

// A part that has to go: one that is taken away; where there is none, one of which more is known than what sizes are at least.
bool above_minus_one(const Fractions& sum, const std::vector<const Fractions*>& conditions, int size, int left) {
  if (above_minus_one(sum, size)) {
    return true;
  }
  auto goes = std::find_if(sum.parts.begin(), sum.parts.end(), [](const auto& part) { return part.second < 0; });
  if (goes == sum.parts.end()) {
    goes = std::find_if(sum.parts.begin(), sum.parts.end(), [&](const auto& part) {
      return std::any_of(conditions.begin(), conditions.end(),
                         [&](const Fractions* condition) { return times_to_cancel(part, *condition) > 0; });
    });
  }
  if (goes == sum.parts.end() || left == 0) {
    return false;
  }
  return std::any_of(conditions.begin(), conditions.end(), [&](const Fractions* condition) {
    Rational times = times_to_cancel(*goes, *condition);
    if (times == 0) {
      return false;
    }
    Fractions less = sum;
    less.constant += times * condition->constant;
    for (const auto& [atoms, factor] : condition->parts) {
      less.parts[atoms] += times * factor;
    }
    std::erase_if(less.parts, [](const auto& part) { return part.second == 0; });
    return above_minus_one(less, conditions, size, left - 1);
  });
}

// At most the negative of the condition. A kernel asks of the same conditions at each statement; what they are over are sizes
// wherever they are conditions, so one answer is that of all kernels.
const Fractions& negated_condition(Term condition, const SizeFacts& facts) {
  thread_local std::unordered_map<Term, Fractions> kept;
  auto known = kept.find(condition);
  if (known == kept.end()) {
    Fractions made;
    add_fractions(condition, -1, facts, made);
    known = kept.emplace(condition, std::move(made)).first;
  }
  return known->second;
}

}  // namespace

bool SizeFacts::has(Symbol name) const { return std::find(names.begin(), names.end(), name) != names.end(); }

std::optional<OneQuotient> one_quotient(Term term) {
  Term division;
  Term rest(0);
  for (const Monomial& monomial : monomials(term)) {
    bool plain = std::all_of(monomial.atoms.begin(), monomial.atoms.end(), [](Term a) { return a.kind() == TermKind::IntVar; });
    if (plain) {
      rest = rest + from_monomials({monomial});
    } else if (monomial.atoms.size() == 1 && monomial.coefficient == 1 && !division) {
      division = monomial.atoms[0];
    } else {
      return std::nullopt;
    }
  }
  std::int64_t by = division && division.kind() == TermKind::FloorDiv ? const_int(division.arg(1)).value_or(0) : 0;
  return by > 0 ? std::optional(OneQuotient{division.arg(0) + Term(by) * rest, Integer(by)}) : std::nullopt;
}

void SizeFacts::assume(Term condition, int least) {
  auto quotient = one_quotient(condition);
  condition = quotient ? quotient->whole : condition;
  bool said = std::find(conditions.begin(), conditions.end(), condition) != conditions.end();
  if (!said && !nonnegative(condition, *this, least)) {
    conditions.push_back(condition);
  }
}

std::optional<Integer> number_of(Term term) {
  std::vector<Monomial> sum = monomials(term);
  if (sum.empty()) {
    return Integer(0);
  }
  return sum.size() == 1 && sum[0].atoms.empty() ? std::optional(sum[0].coefficient) : std::nullopt;
}

bool nonnegative(Term term, const SizeFacts& facts, int least) {
  if (auto number = number_of(term)) {
    return *number >= 0;
  }
  Fractions sum;
  add_fractions(term, 1, facts, sum);
  std::erase_if(sum.parts, [](const auto& part) { return part.second == 0; });
  if (!sum.known || above_minus_one(sum, least)) {
    return sum.known;
  }
  std::vector<const Fractions*> conditions;
  for (Term condition : facts.conditions) {
    const Fractions& part = negated_condition(condition, facts);
    if (part.known) {
      conditions.push_back(&part);
    }
  }
  return above_minus_one(sum, conditions, least, kMostConditions);
}

Integer nominal(Term term, const SizeFacts& facts) {
  Substitution values;
  for (std::size_t k = 0; k < facts.names.size(); ++k) {
    values[facts.names[k]] = int_const(Integer(1) << (32 - std::min<std::size_t>(k, 16)));
  }
  return number_of(substitute(term, values)).value_or(0);
}

std::vector<Symbol> index_variables(Term term, const SizeFacts& facts) {
  std::vector<Symbol> names = free_variables(term);
  std::erase_if(names, [&](Symbol name) { return facts.has(name); });
  return names;
}

}  // namespace vouch
