// What holds where a form is looked at, and what follows from it.
#include <algorithm>

#include "algebra/equality.h"
#include "algebra/normal_form_key.h"

namespace vouch {

Context Context::with(const std::vector<Literal>& more) const {
  Context out = *this;
  for (const Literal& l : more) {
    if (l.sign) {
      out.signs.push_back(l);
    } else {
      out.facts.push_back(l.fact);
    }
  }
  return out;
}

bool Context::speaks_of(const std::vector<Symbol>& names) const {
  return std::any_of(names.begin(), names.end(), [&](Symbol n) {
    return std::any_of(facts.begin(), facts.end(), [&](Term f) { return mentions(f, n); }) ||
           std::any_of(signs.begin(), signs.end(), [&](const Literal& l) { return has_symbol(l.sign->symbols, n); });
  });
}

AtomRef Equality::apart(AtomRef atom, const Context& context) {
  return context.speaks_of(atom->bound) ? forms_.with_fresh_bound(atom) : atom;
}

// Which way round a difference is written may change where its indices are renamed.
unsigned Equality::outcomes_here(AtomRef sign, const Context& context) {
  AtomRef swapped = context.signs.empty() ? sign : forms_.swapped(sign);
  unsigned known = outcomes(sign);
  for (const Literal& l : context.signs) {
    known &= l.sign == sign ? l.mask : l.sign == swapped ? with_sides_swapped(l.mask) : known;
  }
  return known;
}

bool Equality::entails(const Context& context, const Literal& literal) {
  return literal.sign ? (outcomes_here(literal.sign, context) & ~literal.mask) == 0
                      : arithmetic_.entails(context.facts, literal.fact);
}

bool Equality::contradicts(const Context& context) {
  if (std::any_of(context.signs.begin(), context.signs.end(),
                  [&](const Literal& l) { return outcomes_here(l.sign, context) == 0; })) {
    return true;
  }
  return arithmetic_.contradicts(context.facts) || contradicts_signs(context);
}

// A form with bound indices may lack elements, and then is a number whatever it reads.
static bool has_all_atoms(const NormalForm& form) {
  return std::all_of(form.begin(), form.end(), [](const Summand& s) { return s.bound.empty() && s.guards.empty(); });
}

// What is in order is no NaN, nor is any atom of it.
static std::set<AtomRef> ordered_atoms(const Context& context) {
  std::set<AtomRef> out;
  for (const Literal& l : context.signs) {
    bool in_order = l.sign->args.size() == 1 && (l.sign->ordered || (l.mask & kUnordered) == 0);
    for (const Summand& s : l.sign->args[0]) {
      for (const Factor& f : s.factors) {
        if (in_order && has_all_atoms(l.sign->args[0])) {
          out.insert(f.atom);
        }
      }
    }
  }
  return out;
}

static bool is_in_order(const NormalForm& form, const std::set<AtomRef>& ordered) {
  return has_all_atoms(form) && std::all_of(form.begin(), form.end(), [&](const Summand& s) {
           return std::all_of(s.factors.begin(), s.factors.end(), [&](const Factor& f) { return ordered.contains(f.atom); });
         });
}

static bool is_of_unsigned(const FormBuilder& forms, const Summand& s) {
  return is_plain(s) && s.factors.size() == 1 && s.factors[0].exponent == 1 && s.factors[0].atom->kind == AtomKind::Read &&
         forms.is_of_unsigned(s.factors[0].atom->symbol);
}

// The value of the summand but for its coefficient, by the name of what it is.
Term Equality::unknown_of(Summand s) {
  Term& unknown = unknowns_[body_key(s)];
  if (!unknown) {
    s.coefficient = 1;
    const bool constant = s.factors.empty() && is_plain(s);
    unknown = int_var(constant ? std::string("scalar 1") : "scalar " + forms_.text(NormalForm{s}));
  }
  return unknown;
}

// Signs of sums of the same monomials, as linear constraints over the reals. They are homogeneous once the constant is
// an unknown of its own that is positive; a homogeneous system has a real solution if and only if it has an integral one.
// Where all are whole numbers the constant is 1.
bool Equality::contradicts_signs(const Context& context) {
  const bool alone = context.signs.size() == 1 && context.signs[0].sign->args.size() == 1 &&
                     std::any_of(context.signs[0].sign->args[0].begin(), context.signs[0].sign->args[0].end(),
                                 [&](const Summand& s) { return is_of_unsigned(forms_, s); });
  if ((context.signs.size() < 2 && !alone) || forms_.algebra() != Algebra::Split) {
    return false;
  }
  Facts facts;
  bool whole = true;
  const std::set<AtomRef> ordered = ordered_atoms(context);
  for (const Literal& l : context.signs) {
    if (l.sign->args.size() > 1 || ((l.mask & kUnordered) != 0 && !is_in_order(l.sign->args[0], ordered))) {
      continue;
    }
    const NormalForm& form = l.sign->args[0];
    whole = whole && forms_.is_whole(form);
    Integer scale = 1;
    for (const Summand& s : form) {
      scale = lcm(scale, Integer(denominator(s.coefficient)));
    }
    Term total = 0;
    for (const Summand& s : form) {
      const Term monomial = unknown_of(s);
      total = total + int_const(Integer(numerator(times(s.coefficient, Rational(scale))))) * monomial;
      if (is_of_unsigned(forms_, s)) {
        facts.push_back(ge(monomial, 0));
      }
    }
    std::vector<Term> cases;
    if ((l.mask & kNegative) != 0) {
      cases.push_back(lt(total, 0));
    }
    if ((l.mask & kZero) != 0) {
      cases.push_back(eq(total, 0));
    }
    if ((l.mask & kPositive) != 0) {
      cases.push_back(gt(total, 0));
    }
    facts.push_back(any_of(cases));
  }
  facts.push_back(whole ? eq(int_var("scalar 1"), 1) : ge(int_var("scalar 1"), 1));
  return arithmetic_.contradicts(facts);
}

}  // namespace vouch
