// Which signs the value of a form can have, whatever the values of its atoms are.
#include <algorithm>

#include "algebra/normal_form.h"
#include "term/print.h"

namespace vouch {
namespace {

unsigned signs_of_product(unsigned a, unsigned b) {
  auto both = [&](unsigned x, unsigned y) { return (a & x) != 0 && (b & y) != 0; };
  return (((a | b) & kZero) != 0 ? kZero : 0U) | (both(kPositive, kPositive) || both(kNegative, kNegative) ? kPositive : 0U) |
         (both(kPositive, kNegative) || both(kNegative, kPositive) ? kNegative : 0U);
}

// A sum with a positive summand and none that is negative is positive.
unsigned signs_of_sum(const std::vector<unsigned>& summands) {
  bool all_may_be_zero = true;
  unsigned seen = 0;
  for (unsigned s : summands) {
    seen |= s;
    all_may_be_zero = all_may_be_zero && (s & kZero) != 0;
  }
  bool mixed = (seen & kPositive) != 0 && (seen & kNegative) != 0;
  return mixed ? kAnySign : (seen & ~kZero) | (all_may_be_zero ? kZero : 0U);
}

}  // namespace

unsigned FormBuilder::signs_of_atom(const Atom& atom) const {
  switch (atom.kind) {
    case AtomKind::Read: return is_truth(atom.symbol) ? kZero | kPositive : kAnySign;
    case AtomKind::Function:
      return atom.name == fn_name(Fn::Exp) ? kPositive : atom.name == fn_name(Fn::Sqrt) ? kZero | kPositive : kAnySign;
    case AtomKind::Group: return possible_signs(atom.args[0]);
    case AtomKind::RealVar:
    case AtomKind::Whole:
    case AtomKind::Reduction:  // an extremum of nothing is infinite
    case AtomKind::Sign: return kAnySign;
  }
  return kAnySign;
}

void FormBuilder::assume_positive(AtomRef atom) {
  if (positive_.insert(atom).second) {
    converted_.clear();  // logarithms of it are others now
  }
}

void FormBuilder::assume_not_negative(AtomRef atom) {
  if (not_negative_.insert(atom).second) {
    converted_.clear();
  }
}

bool FormBuilder::is_never_negative(AtomRef atom) const {
  bool magnitude = atom->kind == AtomKind::Function && atom->name == fn_name(Fn::Abs);
  return magnitude || not_negative_.contains(atom) || is_positive(atom) || (signs_of_atom(*atom) & kNegative) == 0;
}

unsigned FormBuilder::possible_signs(const NormalForm& form) const {
  if (algebra_ == Algebra::Exact) {
    return kAnySign;
  }
  std::vector<unsigned> summands;
  for (const Summand& s : form) {
    unsigned signs = s.coefficient.sign() < 0 ? kNegative : kPositive;
    for (const Factor& f : s.factors) {
      unsigned of_atom = signs_of_atom(*f.atom);
      signs = signs_of_product(signs, f.exponent % 2 == 0 ? signs_of_product(of_atom, of_atom) & (kPositive | kZero) : of_atom);
    }
    // A sum over indices, or where guards hold, may have no summand.
    summands.push_back(s.bound.empty() && s.guards.empty() ? signs : signs_of_sum({signs, kZero}) | kZero);
  }
  return signs_of_sum(summands);
}

}  // namespace vouch
