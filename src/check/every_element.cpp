#include "check/every_element.h"

#include <algorithm>
#include <optional>

#include "tensor/element.h"
#include "term/substitute.h"

namespace vouch {
namespace {

Term number(Term constant) { return constant.sort() == Sort::Int ? real_of(constant) : constant; }

// `number <= element`, `element <= number`, or that they are equal.
struct Bound {
  enum class Kind : std::uint8_t { Least, Most, Equal } kind;
  Term number;
};

std::optional<Bound> bound_of(Term guard, Symbol element) {
  bool order = guard.kind() == TermKind::RealLe || guard.kind() == TermKind::IntLe;
  if (!order && guard.kind() != TermKind::RealEq && guard.kind() != TermKind::IntEq) {
    return std::nullopt;
  }
  auto is_element = [&](Term t) { return t == int_var(element) || t == real_var(element); };
  for (std::size_t side : {0, 1}) {
    if (is_element(guard.arg(side)) && is_const(guard.arg(1 - side))) {
      Bound::Kind kind = !order ? Bound::Kind::Equal : side == 0 ? Bound::Kind::Most : Bound::Kind::Least;
      return Bound{kind, number(guard.arg(1 - side))};
    }
  }
  return std::nullopt;
}

}  // namespace

void EveryElement::add(Term guard) {
  if (guard.kind() == TermKind::And) {
    for (Term part : guard.args()) {
      add(part);
    }
  } else {
    guards_.push_back(guard);
  }
}

Term EveryElement::at(Term guard, Term read) const { return substitute(guard, element_, scalar_ ? read : int_of(read)); }

std::vector<Term> EveryElement::facts_of(Term read) const {
  std::vector<Term> out;
  for (Term guard : guards_) {
    out.push_back(at(guard, read));
  }
  return out;
}

Facts EveryElement::whole_facts() const {
  if (scalar_) {
    return {};
  }
  const NumberRange range = range_of(dtype_);
  Term element = int_var(element_);
  Facts out{le(int_const(Integer(numerator(range.low))), element), le(element, int_const(Integer(numerator(range.high))))};
  out.insert(out.end(), guards_.begin(), guards_.end());
  return out;
}

Term EveryElement::as_met(Term read, bool all) const {
  Term out = read;
  for (Term guard : guards_) {
    if (auto bound = bound_of(guard, element_)) {
      out = bound->kind == Bound::Kind::Equal   ? bound->number
            : bound->kind == Bound::Kind::Least ? select(real_lt(bound->number, read), out, bound->number)
                                                : select(real_lt(read, bound->number), out, bound->number);
    } else if (all) {
      out = select(at(guard, read), out, example(guard));
    }
  }
  return out;
}

// Any number would do; one that meets the guard, where it is easily found, shows that it is met.
Term EveryElement::example(Term guard) const {
  for (std::int64_t k : {1, 0, -1, 2, -2}) {
    Term met = substitute(guard, element_, scalar_ ? real_const(Rational(k)) : Term(k));
    if (is_true(met)) {
      return real_const(Rational(k));
    }
  }
  return real_const(Rational(0));
}

Term with_elements(Term term, const std::map<Symbol, EveryElement>& of, const std::set<Symbol>& outside,
                   std::vector<Term>& facts) {
  if (of.empty()) {
    return term;
  }
  return replace_reads(term, [&](Symbol tensor, std::span<const Term> indices) -> std::optional<Term> {
    auto every = of.find(tensor);
    if (every == of.end()) {
      return std::nullopt;
    }
    Term element = read(tensor, {indices.begin(), indices.end()});
    std::vector<Symbol> free = free_variables(element);
    bool fixed = std::all_of(free.begin(), free.end(), [&](Symbol name) { return outside.contains(name); });
    if (fixed) {
      std::vector<Term> here = every->second.facts_of(element);
      facts.insert(facts.end(), here.begin(), here.end());
    }
    return every->second.as_met(element, !fixed);
  });
}

}  // namespace vouch
