// What a comparison would no longer see. Over the reals x + y - x is y; but a comparison sees whether x is NaN, and then it is
// false. What the laws of the reals made vanish stays in what is compared, as the argument of a function of which nothing is
// known.
#include <algorithm>
#include <set>

#include "algebra/normal_form.h"

namespace vouch {
namespace {

constexpr const char* kUnseen = "unseen";

struct ByNumber {
  bool operator()(AtomRef a, AtomRef b) const { return a->number < b->number; }
};

bool is_read(const Atom& atom) { return atom.kind == AtomKind::Read || atom.kind == AtomKind::RealVar; }

}  // namespace

bool is_unseen(const Atom& atom) { return atom.kind == AtomKind::Function && atom.name == kUnseen; }

// Elements that are read at no bound index, and all tensors.
struct FormBuilder::Seen {
  std::set<AtomRef, ByNumber> elements;
  std::set<Symbol> tensors;

  void add(const NormalForm& form, bool bound) {
    for (const Summand& s : form) {
      const bool inside = bound || !s.bound.empty();
      add(s.guards, inside);
      for (const Factor& f : s.factors) {
        add(f.atom, inside);
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
  for (Term arg : term.args()) {
    if (arg.sort() != Sort::Int) {
      add_read(arg, bound || !term->bound.empty(), forgotten, all, lost);
    }
  }
}

NormalForm FormBuilder::with_unseen(NormalForm form, const Seen& before, Seen lost) {
  Seen now;
  now.add(form, false);
  std::copy_if(before.elements.begin(), before.elements.end(), std::inserter(lost.elements, lost.elements.end()),
               [&](AtomRef atom) { return !now.elements.contains(atom); });
  std::copy_if(before.tensors.begin(), before.tensors.end(), std::inserter(lost.tensors, lost.tensors.end()),
               [&](Symbol tensor) { return !now.tensors.contains(tensor); });
  std::vector<NormalForm> args;
  for (AtomRef atom : lost.elements) {
    args.push_back(single(atom));
    lost.tensors.erase(atom->symbol);
  }
  for (Symbol tensor : lost.tensors) {
    args.push_back(single(make_atom(AtomKind::RealVar, tensor, {}, {})));
  }
  return args.empty() ? form : sum(form, single(make_atom(AtomKind::Function, {}, {}, std::move(args), kUnseen)));
}

NormalForm FormBuilder::compared(Term scalar) {
  NormalForm form = of(scalar);
  if (algebra_ == Algebra::Exact || is_ordered(scalar)) {
    return form;
  }
  Seen all;
  Seen lost;
  add_read(scalar, false, false, all, lost);
  return with_unseen(std::move(form), all, std::move(lost));
}

NormalForm FormBuilder::compared_difference(const NormalForm& a, const NormalForm& b) {
  Seen all;
  all.add(a, false);
  all.add(b, false);
  return with_unseen(sum(a, scaled(-1, b)), all, {});
}

}  // namespace vouch
