// Scalar terms in normal form: sums of
//   coefficient * Σ over bound indices, where guards hold, of a product of atoms with integer exponents.
//
// Boxes of bound indices stand among the guards. A guard is an integer fact, or a sign: that a normal form is negative,
// zero, positive or unordered (any set of these). Reciprocals are negative exponents, 1/0 being 0 (so 1/(a*b) = 1/a * 1/b).
// Choices are pairs of terms with opposite guards.
//
// In the algebra `Exact` nothing is known of arithmetic: sums and products are opaque functions of their operands (the
// commutative ones in either order), and a reduction keeps its order. What is equal there is equal bit for bit, NaN, infinities
// and the sign of zero included.
//
// Where an operand may be NaN a comparison has a fourth outcome, in every algebra: `not (x < y)` is not `y <= x`, and `x == x`
// is not known. What the reals ignore is the rounding of what is compared, not that it may be NaN.
#pragma once

#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "facts/arithmetic.h"
#include "support/words_hash.h"
#include "tensor/dtype.h"
#include "term/substitute.h"

namespace vouch {

struct Atom;
using AtomRef = const Atom*;

struct Literal {
  Term fact;               // an integer fact; or
  AtomRef sign = nullptr;  // the sign of this (an atom of kind Sign) is one of
  unsigned mask = 0;       // 1 negative, 2 zero, 4 positive, 8 unordered
  friend bool operator==(const Literal&, const Literal&) = default;
};
inline constexpr unsigned kNegative = 1;
inline constexpr unsigned kZero = 2;
inline constexpr unsigned kPositive = 4;
inline constexpr unsigned kAnySign = kNegative | kZero | kPositive;
inline constexpr unsigned kUnordered = 8;  // it is NaN, or what is compared with
// Asked of `split_sign` only, with either kNegative or kPositive: what is neither (zero, unordered) belongs to one of these two
// questions, never to both.
inline constexpr unsigned kTie = 16;

struct Factor {
  AtomRef atom = nullptr;
  int exponent = 1;
  friend bool operator==(const Factor&, const Factor&) = default;
};

struct Summand {
  Rational coefficient = 1;
  std::vector<Symbol> bound;
  std::vector<Literal> guards;
  std::vector<Factor> factors;  // in order of the atoms' numbers
};
using NormalForm = std::vector<Summand>;

enum class AtomKind : std::uint8_t {
  Read,       // symbol, indices
  RealVar,    // symbol
  Whole,      // indices[0]: an integer atom as a scalar
  Function,   // name, args
  Reduction,  // Max, Min, Product, in the exact algebra Sum too: bound, guards, args[0]
  Group,      // args[0]: a sum under a negative exponent
  Sign,       // of args[0]; or, how args[0] compares with args[1]: in guards only
};

struct Atom {
  AtomKind kind = AtomKind::Read;
  Symbol symbol;
  std::string name;
  Reduction reduction = Reduction::Sum;
  std::vector<Term> indices;
  std::vector<NormalForm> args;
  std::vector<Symbol> bound;
  std::vector<Literal> guards;
  bool ordered = true;          // Sign: never unordered
  std::uint32_t number = 0;     // in order of making
  std::vector<Symbol> symbols;  // free ones
  std::vector<Symbol> binders;  // what is bound here or inside
};

// All signs that an atom of kind Sign may have.
inline unsigned outcomes(AtomRef sign) { return sign->ordered ? kAnySign : kAnySign | kUnordered; }

// The signs of the negation of what has these.
inline unsigned with_sides_swapped(unsigned mask) {
  return (mask & ~(kNegative | kPositive)) | ((mask & kNegative) << 2) | ((mask & kPositive) >> 2);
}

// The element types of what is read; a tensor that is not named may hold anything.
using ElementTypes = std::unordered_map<Symbol, DType>;

enum class Algebra : std::uint8_t {
  Exact,  // no law of arithmetic
  Real,   // the field of reals; extrema are atoms
  Split,  // extrema and absolute values are choices by signs
};

// Products of sums have more summands than memory holds; who sets a limit catches this.
struct TooManySummands {};

using AtomKey = std::vector<std::uint64_t>;

// Makes atoms (equal ones once) and fresh names; everything that is made lives as long as it.
class FormBuilder {
 public:
  FormBuilder(Algebra algebra, ElementTypes types);

  Algebra algebra() const { return algebra_; }
  // Is what is proven from now on claimed of these element types alone? How large the numbers of integer types are is looked at
  // then.
  void claim_own_types(bool alone) { own_types_ = alone; }
  // Where neither operand of an extremum is the larger one, which of the two is taken: the other one than otherwise. Over the
  // reals both are right; what a rule says of NaN beside it is shown by one of them alone.
  void take_other_ties() { tie_side_ = kPositive; }
  bool has_taken_ties() const { return has_taken_ties_; }
  // Are all elements of the tensor whole numbers?
  bool is_of_integers(Symbol tensor) const;
  // And none negative? Told only where what is proven is claimed of these types alone.
  bool is_of_unsigned(Symbol tensor) const;
  // A whole number, whatever is read.
  bool is_whole(const NormalForm& form) const;
  // From now on `TooManySummands` is thrown once more than so many were put together, or kept in atoms.
  void limit(std::size_t summands) { summands_left_ = summands; }
  NormalForm of(Term scalar);
  NormalForm substituted(const NormalForm& form, const Substitution& by);
  Summand substituted(const Summand& summand, const Substitution& by, NormalForm* rest = nullptr);
  Literal substituted(const Literal& literal, const Substitution& by);
  AtomRef substituted(AtomRef atom, const Substitution& by);
  // Maps every integer term and fact inside.
  using IntegerMap = std::function<Term(Term)>;
  NormalForm mapped(const Summand& summand, const IntegerMap& map);
  NormalForm mapped(const NormalForm& form, const IntegerMap& map);
  AtomRef mapped(AtomRef atom, const IntegerMap& map);
  // The same, with nothing inside bound by a name that the facts speak of.
  NormalForm mapped_under(const Summand& summand, const Facts& facts, const IntegerMap& map);
  Literal mapped_under(const Literal& literal, const Facts& facts, const IntegerMap& map);
  Literal mapped(const Literal& literal, const IntegerMap& map);

  NormalForm number(const Rational& value) const;
  NormalForm integer(Term term);
  NormalForm sum(const NormalForm& a, const NormalForm& b) const;
  NormalForm scaled(const Rational& by, NormalForm form) const;
  NormalForm product(const NormalForm& a, const NormalForm& b);
  NormalForm power(const NormalForm& form, int exponent);
  NormalForm reciprocal(const NormalForm& form);
  NormalForm guarded(const std::vector<Literal>& guards, const NormalForm& form) const;
  NormalForm function(const std::string& name, std::vector<NormalForm> args);
  // `name` is that of the function Max or Min.
  NormalForm largest(const std::string& name, const std::vector<NormalForm>& operands);
  NormalForm single(AtomRef atom, int exponent = 1) const;
  NormalForm reduction(Reduction kind, std::vector<Symbol> bound, std::vector<Literal> guards, NormalForm body);
  // A guard as disjoint conjunctions of literals, for it (or its negation) to hold.
  using Conjunctions = std::vector<std::vector<Literal>>;
  Conjunctions split(Term guard, bool wanted);
  Conjunctions split_sign(const NormalForm& form, unsigned mask, bool ordered = true);
  // The sign of the difference of the two.
  Conjunctions compare(const NormalForm& a, const NormalForm& b, unsigned mask, bool ordered);
  // Is the form NaN wherever that one is, as far as what it is made of says so? Beside what is known to be a number.
  bool sees_all_of(const NormalForm& form, const NormalForm& before, const std::function<bool(AtomRef)>& is_number);
  // The other way round: of the negation.
  AtomRef swapped(AtomRef sign);
  // The signs that the form can have, whatever the values of what is read: any, but for squares, exponentials and sums of such.
  unsigned possible_signs(const NormalForm& form) const;
  static Literal negated(const Literal& literal);
  // From now on this is taken to be positive, by logarithms, roots and magnitudes alone: a comparison of it is not decided.
  void assume_positive(AtomRef atom);
  // The same of what may be 0: by roots and magnitudes alone.
  void assume_not_negative(AtomRef atom);
  bool is_never_negative(AtomRef atom) const;
  bool is_positive(AtomRef atom) const { return positive_.contains(atom) || (signs_of_atom(*atom) == kPositive); }
  // Numbers that the value of a form is never below, never above, whatever is read; nothing where none is known.
  struct Ends {
    std::optional<Rational> low;
    std::optional<Rational> high;
  };
  Ends ends_of(const NormalForm& form) const;

  // Equal summands added up; zero ones dropped.
  NormalForm merged(NormalForm form) const;
  Summand with_fresh_bound(const Summand& summand);
  AtomRef with_fresh_bound(AtomRef atom);
  // Reductions inside that differ in the names of what is bound alone become one.
  NormalForm named_alike(const NormalForm& form) {
    std::size_t depth = 0;
    return named_alike(form, depth);
  }
  Symbol fresh(Symbol like);
  AtomRef intern(Atom atom);
  AtomRef make_atom(AtomKind kind, Symbol symbol, std::vector<Term> indices, std::vector<NormalForm> args, std::string name = {});

  // Atoms that were cancelled against their reciprocals, or divided by: each is to be shown different from 0.
  const std::vector<AtomRef>& cancelled() const { return cancelled_; }
  std::vector<AtomRef>& cancelled() { return cancelled_; }
  Summand make(Rational coefficient, std::vector<Symbol> bound, std::vector<Literal> guards, std::vector<Factor> factors);

  std::string text(const NormalForm& form) const;
  std::string text(const Literal& literal) const;
  std::string text(AtomRef atom) const;

 private:
  void count(std::size_t summands) const;
  NormalForm of_call(Term term);
  std::optional<NormalForm> of_remainder(Term term);
  std::optional<NormalForm> of_quotient(Term term);
  bool is_element(const NormalForm& form, DType dtype) const;
  NormalForm of_reduce(Term term);
  NormalForm extremum(Fn fn, const NormalForm& a, const NormalForm& b, bool ordered);
  NormalForm opaque(const std::string& name, Term term, bool commutative);
  NormalForm negated(const NormalForm& form);
  Conjunctions sign_of(std::vector<NormalForm> compared, unsigned mask, unsigned possible, bool ordered);
  unsigned without_tie(unsigned mask);
  bool is_ordered(Term scalar);
  // The form of what is compared, which sees NaN wherever the term does (normal_form_unseen.cpp).
  struct Seen;
  NormalForm compared(Term scalar);
  NormalForm compared_difference(const NormalForm& a, const NormalForm& b);
  NormalForm with_unseen(NormalForm form, const Seen& before, Seen lost);
  NormalForm still_seen(const NormalForm& before, NormalForm now, const IntegerMap& map);
  bool forgets_unordered(Term term);
  struct Scope;
  void add_read(Term term, const Scope& scope, bool forgotten, Seen& all, Seen& lost);
  void add_partial(Term term, const Scope& scope, bool forgotten, Seen& all, Seen& lost);
  void add_reduced(Term reduce, const Scope& scope, bool forgotten, Seen& all, Seen& lost);
  AtomRef over(const Scope& scope, NormalForm value);
  bool is_truth(Symbol tensor) const;
  NormalForm exponential(const NormalForm& arg);
  std::optional<NormalForm> with_signed_magnitude(const Summand& summand);
  NormalForm without_squared_roots(Summand summand);
  unsigned signs_of_atom(const Atom& atom) const;
  Ends ends_of(const Atom& atom) const;
  Ends ends_of(const Factor& factor) const;
  // Takes out operands of Max (`larger`) or Min that another is never below, or never above.
  void drop_surpassed(bool larger, std::vector<NormalForm>& operands) const;
  // The larger, or smaller, of values of one function that grows is its value at the larger, or smaller.
  std::optional<NormalForm> applied_last(const std::string& name, const std::vector<NormalForm>& operands);
  // The larger, or smaller, of a whole number and of one that is rounded, plus a whole number: it is rounded last.
  std::optional<NormalForm> rounded_last(const std::string& name, const std::vector<NormalForm>& operands);
  static AtomKey key_of(const Atom& atom);
  // What the map makes of it; nothing where that is what it was, and so need not be built again.
  std::optional<NormalForm> changed(const Summand& summand, const IntegerMap& map);
  std::optional<NormalForm> changed(const NormalForm& form, const IntegerMap& map);
  bool is_as_made(const Summand& summand) const;
  class Avoiding;
  bool avoids(const std::vector<Symbol>& bound) const;
  bool is_out_of_reach(const Atom& atom) const;
  AtomRef with_bound(AtomRef atom, std::vector<Symbol> names);
  NormalForm named_alike(const NormalForm& form, std::size_t& depth);
  AtomRef named_alike(AtomRef atom, std::size_t& depth);

  Algebra algebra_;
  mutable std::size_t summands_left_ = std::numeric_limits<std::size_t>::max();
  ElementTypes types_;
  bool own_types_ = false;
  unsigned tie_side_ = kNegative;
  bool has_taken_ties_ = false;
  std::deque<Atom> atoms_;
  std::unordered_map<AtomKey, AtomRef, WordsHash> known_;
  std::unordered_map<AtomRef, AtomRef> swapped_;
  std::unordered_map<Term, NormalForm> converted_;
  std::unordered_map<Term, bool> ordered_;
  std::uint64_t next_name_ = 0;
  std::vector<AtomRef> cancelled_;
  std::set<AtomRef> positive_;              // assumed to be
  std::set<AtomRef> not_negative_;          // likewise
  std::vector<Symbol> avoided_;             // by bound names, while a substitution is under way
  const Substitution* replaced_ = nullptr;  // by that substitution
};

std::vector<Symbol> free_symbols(const Summand& summand);
std::vector<Symbol> free_symbols(const NormalForm& form);
std::vector<Symbol> free_symbols(const Literal& literal);
bool has_symbol(const std::vector<Symbol>& sorted, Symbol symbol);
bool is_one_atom(const NormalForm& form, AtomKind kind);
// The function Max or Min.
bool is_extremum(const Atom& atom);
// What stands for elements that comparisons would no longer see: 0, or NaN if one of its arguments is.
bool is_unseen(const Atom& atom);
Reduction other_extremum(Reduction reduction);
// Neither over indices nor under guards.
bool is_plain(const Summand& summand);
// Powers that divide all summands, and that nothing bound there varies; the sum divided by them.
std::vector<Factor> common_factors(const NormalForm& form);
NormalForm without_factors(const NormalForm& form, const std::vector<Factor>& common);

}  // namespace vouch
