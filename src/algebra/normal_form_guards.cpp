// Guards as disjoint conjunctions of literals, and signs.
#include <fmt/format.h>

#include <algorithm>

#include "algebra/normal_form.h"
#include "algebra/normal_form_key.h"
#include "support/fault.h"
#include "term/print.h"

namespace vouch {

Literal FormBuilder::negated(const Literal& literal) {
  return literal.sign ? Literal{{}, literal.sign, outcomes(literal.sign) & ~literal.mask}
                      : Literal{negate(literal.fact), nullptr, 0};
}

FormBuilder::Conjunctions FormBuilder::split(Term guard, bool wanted) {
  switch (guard.kind()) {
    case TermKind::BoolConst: return is_true(guard) == wanted ? Conjunctions{{}} : Conjunctions{};
    case TermKind::Not: return split(guard.arg(0), !wanted);
    case TermKind::IntLe:
    case TermKind::IntEq: {
      Term fact = without_remainders(wanted ? guard : negate(guard));
      return is_false(fact) ? Conjunctions{} : is_true(fact) ? Conjunctions{{}} : Conjunctions{{{fact, nullptr, 0}}};
    }
    case TermKind::RealLt:
    case TermKind::RealLe:
    case TermKind::RealEq: {
      unsigned mask = guard.kind() == TermKind::RealLt ? kNegative : guard.kind() == TermKind::RealLe ? kNegative | kZero : kZero;
      bool ordered = is_ordered(guard.arg(0)) && is_ordered(guard.arg(1));
      return compare(ordered ? of(guard.arg(0)) : compared(guard.arg(0)), ordered ? of(guard.arg(1)) : compared(guard.arg(1)),
                     wanted ? mask : (kAnySign | kUnordered) & ~mask, ordered);
    }
    case TermKind::And:
    case TermKind::Or: break;
    default: fault("a guard of no kind");
  }
  // All parts hold; or the first parts hold (fail) and the next one fails (holds).
  bool all = (guard.kind() == TermKind::And) == wanted;
  Conjunctions before{{}};
  Conjunctions out;
  auto join = [](const Conjunctions& a, const Conjunctions& b) {
    Conjunctions joined;
    for (const auto& x : a) {
      for (const auto& y : b) {
        joined.push_back(x);
        joined.back().insert(joined.back().end(), y.begin(), y.end());
      }
    }
    return joined;
  };
  for (Term part : guard.args()) {
    if (!all) {
      Conjunctions here = join(before, split(part, wanted));
      out.insert(out.end(), here.begin(), here.end());
    }
    before = join(before, split(part, all ? wanted : !wanted));
  }
  return all ? before : out;
}

// Zero and unordered go with one side.
unsigned FormBuilder::without_tie(unsigned mask) {
  bool tie = (mask & kTie) != 0;
  has_taken_ties_ = has_taken_ties_ || tie;
  return (mask & ~kTie) | (tie && (mask & tie_side_) != 0 ? kZero | kUnordered : 0U);
}

// The first of the guards that mention nothing bound.
static const Literal* free_choice(const NormalForm& form) {
  for (const Summand& s : form) {
    for (const Literal& g : s.guards) {
      std::vector<Symbol> names = free_symbols(g);
      if (std::none_of(s.bound.begin(), s.bound.end(), [&](Symbol b) { return has_symbol(names, b); })) {
        return &g;
      }
    }
  }
  return nullptr;
}

// The form where the literal holds.
static NormalForm where(const FormBuilder& forms, const NormalForm& form, const Literal& holds) {
  NormalForm here;
  for (Summand t : form) {
    bool dropped = std::find(t.guards.begin(), t.guards.end(), FormBuilder::negated(holds)) != t.guards.end();
    std::erase(t.guards, holds);
    if (!dropped) {
      here.push_back(std::move(t));
    }
  }
  return forms.merged(here);
}

static bool is_number(const NormalForm& form) {
  return form.empty() || (form.size() == 1 && form[0].factors.empty() && form[0].bound.empty() && form[0].guards.empty());
}

// A comparison is one of differences where neither side can be NaN or infinite, and over the reals, unless nothing of what is
// compared is left there. Else it is a question about the two sides.
FormBuilder::Conjunctions FormBuilder::compare(const NormalForm& a, const NormalForm& b, unsigned mask, bool ordered) {
  const Literal* choice = free_choice(a);
  choice = choice ? choice : free_choice(b);
  if (choice) {
    const Literal by = *choice;
    Conjunctions out;
    for (const Literal& h : {by, negated(by)}) {
      for (std::vector<Literal>& c : compare(where(*this, a, h), where(*this, b, h), mask, ordered)) {
        c.insert(c.begin(), h);
        out.push_back(std::move(c));
      }
    }
    return out;
  }
  NormalForm difference = sum(a, scaled(-1, b));
  if (ordered || (is_number(a) && is_number(b)) || (algebra_ != Algebra::Exact && !is_number(difference))) {
    const bool in_order = ordered || (is_number(a) && is_number(b));
    return split_sign(in_order ? difference : compared_difference(a, b), ordered ? mask & ~kUnordered : mask, in_order);
  }
  unsigned possible = kAnySign | kUnordered;
  if (difference.empty()) {
    possible = kZero | kUnordered;
  } else if (algebra_ != Algebra::Exact) {
    possible = (difference[0].coefficient.sign() < 0 ? kNegative : kPositive) | kUnordered;
  }
  AtomRef first = make_atom(AtomKind::Group, {}, {}, {a});
  AtomRef second = make_atom(AtomKind::Group, {}, {}, {b});
  if (first->number <= second->number) {
    return sign_of({a, b}, mask, possible, false);
  }
  return sign_of({b, a}, with_sides_swapped(mask), with_sides_swapped(possible), false);
}

FormBuilder::Conjunctions FormBuilder::sign_of(std::vector<NormalForm> compared, unsigned mask, unsigned possible, bool ordered) {
  mask &= possible;
  if (mask == 0 || mask == possible) {
    return mask == 0 ? Conjunctions{} : Conjunctions{{}};
  }
  Atom atom;
  atom.kind = AtomKind::Sign;
  atom.args = std::move(compared);
  atom.ordered = ordered;
  return {{{{}, intern(std::move(atom)), mask}}};
}

AtomRef FormBuilder::swapped(AtomRef sign) {
  AtomRef& known = swapped_[sign];
  if (known != nullptr) {
    return known;
  }
  Atom out = *sign;
  if (out.args.size() == 1) {
    out.args[0] = scaled(-1, out.args[0]);
  } else {
    std::swap(out.args[0], out.args[1]);
  }
  return known = intern(std::move(out));
}

// Of what it is a magnitude, or a multiple of one.
static const NormalForm* inside_of_magnitude(const NormalForm& form) {
  bool one = form.size() == 1 && is_plain(form[0]) && form[0].factors.size() == 1 && form[0].factors[0].exponent == 1;
  const Atom* atom = one ? form[0].factors[0].atom : nullptr;
  return atom != nullptr && atom->kind == AtomKind::Function && atom->name == fn_name(Fn::Abs) ? &atom->args[0] : nullptr;
}

// The sign of a form that is a choice is judged choice by choice; that of a number is known; that of an integer
// polynomial is an integer fact.
FormBuilder::Conjunctions FormBuilder::split_sign(const NormalForm& form, unsigned mask, bool ordered) {
  if (const Literal* choice = free_choice(form)) {
    const Literal by = *choice;
    Conjunctions out;
    for (const Literal& h : {by, negated(by)}) {
      for (std::vector<Literal>& c : split_sign(where(*this, form, h), mask, ordered)) {
        c.insert(c.begin(), h);
        out.push_back(std::move(c));
      }
    }
    return out;
  }
  if (form.empty()) {
    return (without_tie(mask) & kZero) != 0 ? Conjunctions{{}} : Conjunctions{};
  }
  if (form.size() == 1 && form[0].factors.empty() && form[0].bound.empty()) {
    return (mask & (form[0].coefficient.sign() < 0 ? kNegative : kPositive)) != 0 ? Conjunctions{{}} : Conjunctions{};
  }
  // A magnitude is 0, or NaN, where that is of which it is one, and positive elsewhere.
  if (const NormalForm* inside = algebra_ == Algebra::Exact || (mask & kTie) != 0 ? nullptr : inside_of_magnitude(form)) {
    const unsigned outside = form[0].coefficient.sign() < 0 ? with_sides_swapped(mask) : mask;
    return split_sign(
        *inside, (outside & ~kAnySign) | (outside & kZero) | ((outside & kPositive) != 0 ? kNegative | kPositive : 0U), ordered);
  }
  bool whole = true;
  Integer scale = 1;
  for (const Summand& s : form) {
    whole = whole && s.bound.empty() && std::all_of(s.factors.begin(), s.factors.end(), [](const Factor& f) {
              return f.atom->kind == AtomKind::Whole && f.exponent > 0;
            });
    scale = lcm(scale, Integer(denominator(s.coefficient)));
  }
  if (whole) {
    mask = without_tie(mask) & kAnySign;
    Term p = 0;
    for (const Summand& s : form) {
      Term m = int_const(Integer(numerator(s.coefficient * Rational(scale))));
      for (const Factor& f : s.factors) {
        for (int k = 0; k < f.exponent; ++k) {
          m = m * f.atom->indices[0];
        }
      }
      p = p + m;
    }
    Term facts[] = {lt(p, 0), eq(p, 0), gt(p, 0)};
    Conjunctions out;
    if (mask == kAnySign) {
      return {{}};
    }
    if (mask == (kNegative | kZero)) {
      return split(le(p, 0), true);
    }
    if (mask == (kPositive | kZero)) {
      return split(ge(p, 0), true);
    }
    if (mask == (kPositive | kNegative)) {
      return split(eq(p, 0), false);
    }
    for (unsigned k = 0; k < 3; ++k) {
      if ((mask >> k & 1U) != 0) {
        Conjunctions here = split(facts[k], true);
        out.insert(out.end(), here.begin(), here.end());
      }
    }
    return out;
  }
  // Canonical: the first summand's coefficient is 1.
  NormalForm unit = form;
  std::sort(unit.begin(), unit.end(), [](const Summand& a, const Summand& b) { return body_key(a) < body_key(b); });
  auto lead = std::min_element(unit.begin(), unit.end(), [](const Summand& a, const Summand& b) {
    auto numbers = [](const Summand& s) {
      std::vector<std::pair<std::uint32_t, int>> out;
      for (const Factor& f : s.factors) {
        out.emplace_back(f.atom->number, f.exponent);
      }
      return std::pair(s.factors.empty(), out);
    };
    return numbers(a) < numbers(b);
  });
  Rational by = 1 / lead->coefficient;
  if (by.sign() < 0) {
    mask = with_sides_swapped(mask);
  }
  unit = scaled(by, unit);
  const unsigned possible = possible_signs(unit) | (ordered ? 0U : kUnordered);
  if ((mask & kTie) != 0 && (possible & tie_side_) == 0) {  // zero goes with the side that there is
    mask = (mask & tie_side_) == 0 ? possible : 0U;
  }
  return sign_of({unit}, without_tie(mask), possible, ordered);
}

}  // namespace vouch
