#include "algebra/lattice.h"

#include <algorithm>
#include <optional>

#include "term/print.h"

namespace vouch {
namespace {

constexpr std::size_t kMostLeaves = 12;
constexpr std::size_t kMostCompared = 6;

bool is_extremum(const NormalForm& form) {
  return is_one_atom(form, AtomKind::Function) && is_extremum(*form[0].factors[0].atom);
}

bool is_numeral(const NormalForm& form) {
  return form.empty() || (form.size() == 1 && form[0].factors.empty() && form[0].bound.empty() && form[0].guards.empty());
}

// The two sides of a difference of atoms, or of an atom and a number.
struct Sides {
  NormalForm more;
  NormalForm less;
};

std::optional<Sides> sides_of(const FormBuilder& forms, const NormalForm& difference) {
  Sides out;
  for (const Summand& s : difference) {
    bool number = s.factors.empty() && s.bound.empty() && s.guards.empty();
    NormalForm one = s.coefficient.sign() > 0 ? NormalForm{s} : forms.scaled(-1, NormalForm{s});
    bool atom = one[0].coefficient == 1 && one[0].factors.size() == 1 && one[0].factors[0].exponent == 1 && s.bound.empty() &&
                s.guards.empty();
    NormalForm& side = s.coefficient.sign() > 0 ? out.more : out.less;
    if ((!number && !atom) || !side.empty()) {
      return std::nullopt;
    }
    side = std::move(one);
  }
  if (out.more.empty() || out.less.empty()) {  // both of one sign: x + 3 is x - (-3)
    return std::nullopt;
  }
  return out;
}

class Lattice {
 public:
  explicit Lattice(FormBuilder& forms) : forms_(forms) {}

  // Nothing if there are too many.
  bool collect(const NormalForm& form) {
    if (is_extremum(form)) {
      const std::vector<NormalForm>& args = form[0].factors[0].atom->args;
      return std::all_of(args.begin(), args.end(), [&](const NormalForm& arg) { return collect(arg); });
    }
    if (!place(form)) {
      leaves_.push_back(form);
      keys_.push_back(key(form));
    }
    return leaves_.size() <= kMostLeaves;
  }

  bool knows(const NormalForm& form) {
    if (is_extremum(form)) {
      const std::vector<NormalForm>& args = form[0].factors[0].atom->args;
      return std::all_of(args.begin(), args.end(), [&](const NormalForm& arg) { return knows(arg); });
    }
    return place(form).has_value();
  }

  bool value(const NormalForm& form, std::uint32_t truths) {
    if (!is_extremum(form)) {
      return (truths >> *place(form) & 1U) != 0;
    }
    AtomRef atom = form[0].factors[0].atom;
    auto holds = [&](const NormalForm& arg) { return value(arg, truths); };
    return atom->name == fn_name(Fn::Max) ? std::any_of(atom->args.begin(), atom->args.end(), holds)
                                          : std::all_of(atom->args.begin(), atom->args.end(), holds);
  }

  // Numbers stand in their order.
  void add_numbers(std::vector<Sides>& inequalities) const {
    for (const NormalForm& a : leaves_) {
      for (const NormalForm& b : leaves_) {
        if (is_numeral(a) && is_numeral(b) && number(a) < number(b)) {
          inequalities.push_back({b, a});
        }
      }
    }
  }

  // Those whose order is told by what their differences are.
  void add_compared(std::vector<Sides>& inequalities, const std::function<bool(const NormalForm&)>& never_negative) const {
    for (const NormalForm& a : leaves_) {
      for (const NormalForm& b : leaves_) {
        bool known = &a == &b || (is_numeral(a) && is_numeral(b));
        if (!known && never_negative(forms_.sum(a, forms_.scaled(-1, b)))) {
          inequalities.push_back({a, b});
        }
      }
    }
  }

  std::size_t count() const { return leaves_.size(); }

 private:
  static Rational number(const NormalForm& form) { return form.empty() ? Rational(0) : form[0].coefficient; }
  std::uint32_t key(const NormalForm& form) { return forms_.make_atom(AtomKind::Group, {}, {}, {form})->number; }

  std::optional<std::size_t> place(const NormalForm& form) {
    auto at = std::find(keys_.begin(), keys_.end(), key(form));
    return at == keys_.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - keys_.begin()));
  }

  FormBuilder& forms_;
  std::vector<NormalForm> leaves_;
  std::vector<std::uint32_t> keys_;
};

// What the context says of the order of terms over these leaves.
std::vector<Sides> inequalities_of(const FormBuilder& forms, Lattice& lattice, const Context& context) {
  std::vector<Sides> out;
  for (const Literal& l : context.signs) {
    auto sides = l.sign->args.size() == 1 ? sides_of(forms, l.sign->args[0]) : std::nullopt;
    if (!sides || !lattice.knows(sides->more) || !lattice.knows(sides->less)) {
      continue;
    }
    if ((l.mask & ~(kPositive | kZero)) == 0) {
      out.push_back(*sides);
    }
    if ((l.mask & ~(kNegative | kZero)) == 0) {
      out.push_back({sides->less, sides->more});
    }
  }
  lattice.add_numbers(out);
  return out;
}

bool same_at_all_thresholds(Lattice& lattice, const Sides& sides, const std::vector<Sides>& known) {
  for (std::uint32_t truths = 0; truths < (1U << lattice.count()); ++truths) {
    bool possible = std::all_of(known.begin(), known.end(),
                                [&](const Sides& s) { return lattice.value(s.more, truths) || !lattice.value(s.less, truths); });
    if (possible && lattice.value(sides.more, truths) != lattice.value(sides.less, truths)) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool vanishes_in_every_order(FormBuilder& forms, const NormalForm& difference, const Context& context,
                             const std::function<bool(const NormalForm&)>& never_negative) {
  auto sides = forms.algebra() == Algebra::Real ? sides_of(forms, difference) : std::nullopt;
  if (!sides || !(is_extremum(sides->more) || is_extremum(sides->less))) {
    return false;
  }
  Lattice lattice(forms);
  if (!lattice.collect(sides->more) || !lattice.collect(sides->less)) {
    return false;
  }
  std::vector<Sides> known = inequalities_of(forms, lattice, context);
  if (same_at_all_thresholds(lattice, *sides, known)) {
    return true;
  }
  if (lattice.count() > kMostCompared) {
    return false;
  }
  std::size_t before = known.size();
  lattice.add_compared(known, never_negative);
  return known.size() > before && same_at_all_thresholds(lattice, *sides, known);
}

}  // namespace vouch
