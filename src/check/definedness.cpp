#include "check/definedness.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "algebra/logarithm.h"
#include "term/comparison.h"
#include "term/partial_function.h"
#include "term/print.h"

namespace vouch {
namespace {

struct ByIdentity {
  bool operator()(const std::pair<Term, bool>& a, const std::pair<Term, bool>& b) const {
    return std::pair(a.first.id(), a.second) < std::pair(b.first.id(), b.second);
  }
};

// A product is not 0 where no factor is, and where it is not, none is. (Quotients are products with reciprocals.) A root and a
// magnitude are 0 where that is of which they are, a product over indices where one of its factors is.
std::vector<Equality::Piece> factors_of(FormBuilder& forms, std::vector<Equality::Piece> open) {
  std::vector<Equality::Piece> out;
  while (!open.empty()) {
    Equality::Piece piece = std::move(open.back());
    open.pop_back();
    bool product = piece.body.size() == 1 && piece.body[0].coefficient.sign() != 0 && piece.body[0].bound.empty() &&
                   piece.body[0].guards.empty();
    if (!product) {
      out.push_back(piece);
      continue;
    }
    for (const Factor& factor : piece.body[0].factors) {
      if (factor.atom->kind == AtomKind::Reduction && factor.atom->reduction == Reduction::Product) {
        const Atom& inside = *forms.with_fresh_bound(factor.atom);
        open.push_back({piece.bound, piece.guards, inside.args[0]});
        open.back().bound.insert(open.back().bound.end(), inside.bound.begin(), inside.bound.end());
        open.back().guards.insert(open.back().guards.end(), inside.guards.begin(), inside.guards.end());
        continue;
      }
      const bool alike = factor.atom->kind == AtomKind::Function && (factor.atom->name == "sqrt" || factor.atom->name == "abs");
      (alike ? open : out).push_back({piece.bound, piece.guards, alike ? factor.atom->args[0] : forms.single(factor.atom)});
    }
  }
  return out;
}

// A product is not negative where none of its factors is; an even power, a root and a magnitude never are.
std::vector<Equality::Piece> odd_factors_of(FormBuilder& forms, const std::vector<Equality::Piece>& pieces) {
  std::vector<Equality::Piece> out;
  for (const Equality::Piece& piece : pieces) {
    if (piece.body.size() != 1 || !is_plain(piece.body[0]) || piece.body[0].coefficient.sign() < 0) {
      out.push_back(piece);
      continue;
    }
    for (const Factor& factor : piece.body[0].factors) {
      if (factor.exponent % 2 != 0 && !forms.is_never_negative(factor.atom)) {
        out.push_back({piece.bound, piece.guards, forms.single(factor.atom)});
      }
    }
  }
  return out;
}

bool is_product_of_positives(const FormBuilder& forms, const NormalForm& form) {
  return form.size() == 1 && is_plain(form[0]) && form[0].coefficient.sign() > 0 &&
         std::all_of(form[0].factors.begin(), form[0].factors.end(), [&](const Factor& f) { return forms.is_positive(f.atom); });
}

// A number that is no integer.
bool is_fraction(const NormalForm& form) {
  return form.size() == 1 && form[0].factors.empty() && is_plain(form[0]) && !is_integral(form[0].coefficient);
}

// With its indices in the order in which they have the ranges of `value`'s: covering tries an index for the one at the same
// place.
void add_alike(FormBuilder& forms, const Equality::Piece& value, Equality::Piece piece, std::vector<Equality::Piece>& out) {
  constexpr std::size_t kMost = 5;
  if (piece.bound.size() != value.bound.size() || piece.bound.size() > kMost) {
    return;
  }
  std::sort(piece.bound.begin(), piece.bound.end());
  do {
    Substitution rename;
    for (std::size_t k = 0; k < piece.bound.size(); ++k) {
      rename.emplace(piece.bound[k], int_var(value.bound[k]));
    }
    bool alike = std::all_of(piece.guards.begin(), piece.guards.end(), [&](const Literal& guard) {
      return std::find(value.guards.begin(), value.guards.end(), forms.substituted(guard, rename)) != value.guards.end();
    });
    if (alike) {
      out.push_back(piece);
    }
  } while (std::next_permutation(piece.bound.begin(), piece.bound.end()));
}

std::vector<Equality::Piece> alike(FormBuilder& forms, const std::vector<Equality::Piece>& values,
                                   const std::vector<Equality::Piece>& pieces) {
  std::vector<Equality::Piece> out;
  for (const Equality::Piece& value : values) {
    for (const Equality::Piece& piece : pieces) {
      add_alike(forms, value, piece, out);
    }
  }
  return out;
}

// The larger, or smaller, of some numbers is one of them, if there are any: these.
std::vector<Equality::Piece> chosen_among(FormBuilder& forms, Equality& equality, std::vector<Equality::Piece> open,
                                          const Context& context) {
  std::vector<Equality::Piece> out;
  while (!open.empty()) {
    Equality::Piece piece = std::move(open.back());
    open.pop_back();
    const bool one = piece.body.size() == 1 && is_plain(piece.body[0]) && is_one(piece.body[0].coefficient) &&
                     piece.body[0].factors.size() == 1 && piece.body[0].factors[0].exponent == 1;
    AtomRef atom = one ? piece.body[0].factors[0].atom : nullptr;
    if (atom != nullptr && atom->kind == AtomKind::Function && is_extremum(*atom)) {
      for (const NormalForm& arg : atom->args) {
        open.push_back({piece.bound, piece.guards, arg});
      }
      continue;
    }
    const bool reduced = atom != nullptr && atom->kind == AtomKind::Reduction &&
                         (atom->reduction == Reduction::Max || atom->reduction == Reduction::Min);
    const Atom* inside = reduced ? forms.with_fresh_bound(atom) : nullptr;
    if (inside == nullptr || !equality.has_point(forms.make(1, inside->bound, inside->guards, {}), context.with(piece.guards))) {
      out.push_back(std::move(piece));
      continue;
    }
    Equality::Piece each{piece.bound, piece.guards, inside->args[0]};
    each.bound.insert(each.bound.end(), inside->bound.begin(), inside->bound.end());
    each.guards.insert(each.guards.end(), inside->guards.begin(), inside->guards.end());
    open.push_back(std::move(each));
  }
  return out;
}

}  // namespace

std::optional<std::string> Definedness::uncovered(const PartialUses& wanted, const PartialUses& known, const Context& context) {
  for (const auto& [name, pieces] : wanted.pieces()) {
    std::vector<Equality::Piece> open;
    for (const Equality::Piece& piece : pieces) {
      if (!is_said(piece, known.of(name), context) && !is_surely_defined(name, piece, context)) {
        open.push_back(piece);
        if (name == "log") {
          open.back().body = without_positive_factors(forms_, piece.body);
        }
      }
    }
    bool covered =
        open.empty() || equality_.covers(open, known.of(name), context) ||
        (name == "division" && equality_.covers(factors_of(forms_, open), factors_of(forms_, known.of(name)), context)) ||
        (name == "sqrt" && equality_.covers(odd_factors_of(forms_, open), known.of(name), context)) ||
        equality_.covers(open, alike(forms_, open, known.of(name)), context) ||
        (extrema_are_elements_ && equality_.covers(chosen_among(forms_, equality_, open, context), known.of(name), context));
    if (!covered) {
      return fmt::format("{} may be undefined where the source is defined", name);
    }
  }
  return std::nullopt;
}

bool Definedness::is_surely_defined(const std::string& name, const Equality::Piece& piece, const Context& context) {
  Context here = context.with(piece.guards);
  if (equality_.contradicts(here)) {
    return true;
  }
  unsigned wanted = name == "division" ? kNegative | kPositive : name == "sqrt" ? kZero | kPositive : kPositive;
  if (name != "division" && name != "sqrt" && name != "log") {
    return false;
  }
  if (is_product_of_positives(forms_, piece.body)) {
    return true;
  }
  return sign_within(equality_.simplified(piece.body, here), wanted, here);
}

std::optional<std::string> Definedness::nowhere_defined(const PartialUses& uses, const Context& context) {
  for (const auto& [name, pieces] : uses.pieces()) {
    for (const Equality::Piece& piece : name == "division" ? factors_of(forms_, pieces) : pieces) {
      Context here = context.with(piece.guards);
      if (is_surely_undefined(name, equality_.simplified(piece.body, here), here) && !equality_.contradicts(here)) {
        return name;
      }
    }
  }
  return std::nullopt;
}

bool Definedness::is_surely_undefined(const std::string& name, const NormalForm& argument, const Context& context) {
  if (name == "division") {
    return argument.empty();
  }
  if (name == "power") {
    const std::vector<NormalForm>& args = argument[0].factors[0].atom->args;
    return is_fraction(args[1]) && !args[0].empty() && is_never_positive(args[0], context);
  }
  auto fn = parse_fn(name);
  auto domain = fn ? domain_of(*fn) : std::nullopt;
  auto beyond = [&](const NormalForm& inwards) { return inwards.empty() ? !domain->ends : is_never_positive(inwards, context); };
  return domain && ((domain->from && beyond(forms_.sum(argument, forms_.number(-*domain->from)))) ||
                    (domain->to && beyond(forms_.sum(forms_.number(*domain->to), forms_.scaled(-1, argument)))));
}

bool Definedness::is_never_positive(const NormalForm& form, const Context& context) {
  return sign_within(form, kNegative | kZero, context) || sign_within(forms_.scaled(-1, form), kZero | kPositive, context);
}

bool Definedness::sign_within(const NormalForm& form, unsigned wanted, const Context& context) {
  bool positive = !form.empty();
  bool non_negative = true;
  bool some_positive = false;
  for (const Summand& s : form) {
    bool strict = s.coefficient.sign() > 0 && ((s.bound.empty() && s.guards.empty()) || equality_.has_point(s, context));
    bool weak = s.coefficient.sign() > 0;
    for (const Factor& f : s.factors) {
      bool is_exp = f.atom->kind == AtomKind::Function && f.atom->name == "exp";
      bool whole = f.atom->kind == AtomKind::Whole && equality_.entails(context, {ge(f.atom->indices[0], 1), nullptr, 0});
      // The root of what is positive is positive; of what may be 0 nothing is said.
      bool root = strict && f.atom->kind == AtomKind::Function && f.atom->name == "sqrt" &&
                  sign_within(f.atom->args[0], kPositive, context);
      strict = strict && (is_exp || whole || root);
      weak = weak && (is_exp || whole || f.exponent % 2 == 0 ||
                      (f.atom->kind == AtomKind::Function && (f.atom->name == "abs" || f.atom->name == "sqrt")));
    }
    some_positive = some_positive || strict;
    non_negative = non_negative && weak;
  }
  positive = positive && non_negative && some_positive;
  if (positive && (wanted & kPositive) != 0) {
    return true;
  }
  if (non_negative && (wanted & (kZero | kPositive)) == (kZero | kPositive)) {
    return true;
  }
  auto cases = forms_.split_sign(form, kAnySign & ~wanted, false);
  return std::all_of(cases.begin(), cases.end(), [&](const auto& c) { return equality_.contradicts(context.with(c)); });
}

bool Definedness::is_not_zero(AtomRef atom, const PartialUses& known, const Context& context) {
  if (atom->kind == AtomKind::Function && atom->name == "exp") {
    return true;
  }
  if (atom->kind == AtomKind::Whole) {
    return arithmetic_.entails(context.facts, ge(atom->indices[0], 1));
  }
  NormalForm form = atom->kind == AtomKind::Group ? atom->args[0] : forms_.single(atom);
  return sign_within(form, kNegative | kPositive, context) || equality_.covers({{{}, {}, form}}, known.of("division"), context);
}

namespace {

bool has_partial(Term term, bool compared, std::set<std::pair<Term, bool>, ByIdentity>& seen) {
  compared = compared || compares_scalars(term);
  const bool partial = divisor_of(term) || (term.kind() == TermKind::Call && (is_partial(term->fn) || term->fn == Fn::Pow));
  return (compared && partial && term.sort() == Sort::Real) ||
         (seen.emplace(term, compared).second &&
          std::any_of(term.args().begin(), term.args().end(), [&](Term arg) { return has_partial(arg, compared, seen); }));
}

}  // namespace

bool sees_undefined(Term scalar) {
  std::set<std::pair<Term, bool>, ByIdentity> seen;
  return has_partial(scalar, false, seen);
}

}  // namespace vouch
