// What a comparison would no longer see. Over the reals x + y - x is y; but a comparison sees whether x is NaN, and then it is
// false; and exp(log(x)) is x, but a comparison sees that there is no logarithm. What the laws of the reals made vanish stays in
// what is compared, as the argument of a function of which nothing is known.
#include <algorithm>
#include <set>

#include "algebra/normal_form.h"
#include "term/partial_function.h"

namespace vouch {
namespace {

constexpr const char* kUnseen = "unseen";

struct ByNumber {
  bool operator()(AtomRef a, AtomRef b) const { return a->number < b->number; }
};

bool is_read(const Atom& atom) { return atom.kind == AtomKind::Read || atom.kind == AtomKind::RealVar; }

// A term that may have no value where its arguments have one.
bool has_partial_head(Term term) {
  return divisor_of(term) ||
         (term.kind() == TermKind::Call && (is_partial(term->fn) || (term->fn == Fn::Pow && !is_whole_power(term))));
}

bool is_partial_function(const Atom& atom) {
  static const std::set<std::string_view> kNames = [] {
    std::set<std::string_view> names{fn_name(Fn::Pow), fn_name(Fn::Tan), fn_name(Fn::Mod), fn_name(Fn::Fmod),
                                     fn_name(Fn::TruncDiv)};
    for (int k = 0; k < kFnCount; ++k) {
      if (is_partial(static_cast<Fn>(k))) {
        names.insert(fn_name(static_cast<Fn>(k)));
      }
    }
    return names;
  }();
  return atom.kind == AtomKind::Function && kNames.contains(atom.name);
}

}  // namespace

bool is_unseen(const Atom& atom) { return atom.kind == AtomKind::Function && atom.name == kUnseen; }

// Elements that are read at no bound index, and all tensors. Likewise partial functions of what is read, and what is divided by
// (that one with -1): those of no bound index, and of all the names with the tensors that they are of.
struct FormBuilder::Seen {
  explicit Seen(const FormBuilder& of) : forms(of) {}

  struct ByNumbers {
    bool operator()(const Factor& a, const Factor& b) const {
      return std::pair(a.atom->number, a.exponent) < std::pair(b.atom->number, b.exponent);
    }
  };
  const FormBuilder& forms;
  std::set<AtomRef, ByNumber> elements;
  std::set<Symbol> tensors;
  std::set<Factor, ByNumbers> partial;
  std::set<std::string> partial_names;

  void add(const NormalForm& form, bool bound) {
    for (const Summand& s : form) {
      const bool inside = bound || !s.bound.empty();
      add(s.guards, inside);
      for (const Factor& f : s.factors) {
        add(f.atom, inside);
        if (f.exponent < 0 && (signs_of(f.atom) & kZero) != 0) {
          add_partial({f.atom, -1}, "division", inside);
        }
      }
    }
  }

  unsigned signs_of(AtomRef atom) const {
    return forms.possible_signs(atom->kind == AtomKind::Group ? atom->args[0] : forms.single(atom));
  }

  // Of what is known to lie in the function's domain it has a value.
  bool is_partial(const Atom& atom) const {
    const bool root = atom.kind == AtomKind::Function && atom.name == fn_name(Fn::Sqrt);
    const bool logarithm = atom.kind == AtomKind::Function && atom.name == fn_name(Fn::Log);
    const unsigned outside = root ? kNegative : logarithm ? kNegative | kZero : kAnySign;
    return is_partial_function(atom) && (forms.possible_signs(atom.args[0]) & outside) != 0;
  }

  void add_partial(const Factor& factor, std::string name, bool bound) {
    Seen of(forms);
    of.add_tensors(*factor.atom);
    if (of.tensors.empty()) {
      return;
    }
    for (Symbol tensor : of.tensors) {
      name += " " + tensor.name();
    }
    partial_names.insert(std::move(name));
    if (!bound) {
      partial.insert(factor);
    }
  }

  void add_tensors(const Atom& atom) {
    if (is_read(atom)) {
      tensors.insert(atom.symbol);
    }
    for (const NormalForm& arg : atom.args) {
      for (const Summand& s : arg) {
        std::for_each(s.factors.begin(), s.factors.end(), [&](const Factor& f) { add_tensors(*f.atom); });
      }
    }
  }

  void add(AtomRef atom, bool bound) {
    if (is_read(*atom)) {
      tensors.insert(atom->symbol);
      if (!bound) {
        elements.insert(atom);
      }
    }
    if (is_partial(*atom)) {
      add_partial({atom, 1}, atom->name, bound);
    }
    add(atom->guards, bound || !atom->bound.empty());
    for (const NormalForm& arg : atom->args) {
      add(arg, bound || !atom->bound.empty());
    }
  }

  void add(const std::vector<Literal>& guards, bool bound) {
    for (const Literal& g : guards) {
      if (g.sign) {
        add(g.sign, bound);
      }
    }
  }
};

// Choices by signs forget NaN: it is none of the signs, and goes with one of them.
bool FormBuilder::forgets_unordered(Term term) {
  return algebra_ == Algebra::Split && term.kind() == TermKind::Call &&
         (term->fn == Fn::Max || term->fn == Fn::Min || term->fn == Fn::Abs || term->fn == Fn::Sign) && !is_ordered(term);
}

// What is read, and of it what is forgotten whatever becomes of the rest.
void FormBuilder::add_read(Term term, bool bound, bool forgotten, Seen& all, Seen& lost) {
  if (term.kind() == TermKind::Read || term.kind() == TermKind::RealVar) {
    if (!is_ordered(term)) {
      AtomRef atom = of(term)[0].factors[0].atom;
      all.add(atom, bound);
      if (forgotten) {
        lost.add(atom, bound);
      }
    }
    return;
  }
  forgotten = forgotten || forgets_unordered(term);
  if (term.sort() == Sort::Real && has_partial_head(term) && !is_ordered(term)) {
    add_partial(term, bound, forgotten, all, lost);
  }
  for (Term arg : term.args()) {
    if (arg.sort() != Sort::Int) {
      add_read(arg, bound || !term->bound.empty(), forgotten, all, lost);
    }
  }
}

// (What a law makes total, as the root of a square, is seen wherever its argument is.)
void FormBuilder::add_partial(Term term, bool bound, bool forgotten, Seen& all, Seen& lost) {
  Seen here(*this);
  here.add(of(term.kind() == TermKind::RealDiv ? real_const(1) / term.arg(1) : term), bound);
  for (Seen* to : {&all, &lost}) {
    if (to == &all || forgotten) {
      to->partial.insert(here.partial.begin(), here.partial.end());
      to->partial_names.insert(here.partial_names.begin(), here.partial_names.end());
    }
  }
}

// What was there before and is no more.
static void add_lost(auto& lost, const auto& before, const auto& now) {
  std::copy_if(before.begin(), before.end(), std::inserter(lost, lost.end()),
               [&](const auto& one) { return !now.contains(one); });
}

NormalForm FormBuilder::with_unseen(NormalForm form, const Seen& before, Seen lost) {
  Seen now(*this);
  now.add(form, false);
  add_lost(lost.elements, before.elements, now.elements);
  add_lost(lost.tensors, before.tensors, now.tensors);
  add_lost(lost.partial, before.partial, now.partial);
  add_lost(lost.partial_names, before.partial_names, now.partial_names);
  std::vector<NormalForm> args;
  for (AtomRef atom : lost.elements) {
    args.push_back(single(atom));
    lost.tensors.erase(atom->symbol);
  }
  for (Symbol tensor : lost.tensors) {
    args.push_back(single(make_atom(AtomKind::RealVar, tensor, {}, {})));
  }
  for (const Factor& factor : lost.partial) {
    args.push_back(single(factor.atom, factor.exponent));
  }
  for (const std::string& name : lost.partial_names) {
    args.push_back(single(make_atom(AtomKind::RealVar, Symbol(name), {}, {})));
  }
  return args.empty() ? form : sum(form, single(make_atom(AtomKind::Function, {}, {}, std::move(args), kUnseen)));
}

NormalForm FormBuilder::compared(Term scalar) {
  NormalForm form = of(scalar);
  if (algebra_ == Algebra::Exact || is_ordered(scalar)) {
    return form;
  }
  Seen all(*this);
  Seen lost(*this);
  add_read(scalar, false, false, all, lost);
  return with_unseen(std::move(form), all, std::move(lost));
}

NormalForm FormBuilder::compared_difference(const NormalForm& a, const NormalForm& b) {
  Seen all(*this);
  all.add(a, false);
  all.add(b, false);
  return with_unseen(sum(a, scaled(-1, b)), all, Seen(*this));
}

}  // namespace vouch
