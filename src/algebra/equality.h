// Equality of normal forms under integer facts: what is left of `a - b` after simplification and matching.
//
// Two summands match if their atoms can be paired and their bound indices mapped onto each other, both ways, such that the
// maps are inverse where both guards hold, and paired atoms are equal there. What their domains do not share remains. A
// maximum is determined by the set of values it ranges over: each must occur on the other side.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "algebra/normal_form.h"
#include "facts/index_terms.h"

namespace vouch {

// What holds, beyond the base facts.
struct Context {
  Facts facts;
  std::vector<Literal> signs;
  Context with(const std::vector<Literal>& more) const;
  // Does anything here speak of these names?
  bool speaks_of(const std::vector<Symbol>& names) const;
};

// The value of a variable that facts limit from both sides to one, in terms of others.
std::optional<Term> pinned_value(Symbol variable, std::initializer_list<const Facts*> known);

// The value of a variable for which `whole`, with it or its opposite as a summand, is this; nothing where it stands there
// otherwise.
std::optional<Term> solved_for(Symbol variable, Term whole, Term is);

// Unknowns i with m * i + rest == 0 among the equations, which are -rest // m where that is a multiple (to be shown by whoever
// asks), are added to what is found; false if there are none.
bool add_quotients(const std::vector<Term>& equations, const std::vector<Symbol>& unknowns, Substitution& found);

class Equality {
 public:
  Equality(FormBuilder& forms, Arithmetic& arithmetic) : forms_(forms), arithmetic_(arithmetic) {}

  bool equal(const NormalForm& a, const NormalForm& b, const Context& context);
  NormalForm simplified(const NormalForm& form, const Context& context);
  Term simplified_index(Term term, const Facts& facts);
  bool equal_indices(Term a, Term b, const Facts& facts);
  bool entails(const Context& context, const Literal& literal);
  bool contradicts(const Context& context);
  bool equal_atoms(AtomRef a, AtomRef b, const Context& context);
  // A set of values: `body` over bound indices where guards hold.
  struct Piece {
    std::vector<Symbol> bound;
    std::vector<Literal> guards;
    NormalForm body;
  };
  // Is there a value of the bound indices where all guards hold, whatever the sizes are?
  bool has_point(const Summand& summand, const Context& context);
  // Does every value of the one occur among the values of the other?
  bool covers(const std::vector<Piece>& values, const std::vector<Piece>& by, const Context& context, int depth = 0);
  // Values of unknowns by the equations (terms that are 0), as far as they follow; to be checked by whoever asks.
  Substitution solve(std::vector<Term> equations, const std::vector<Symbol>& unknowns, const std::vector<Literal>& guards);
  // What remained of the last comparison that failed, for explanations.
  std::string remainder() const { return remainder_ ? forms_.text(*remainder_) : std::string(); }
  // The work allowed for one comparison, in matches tried.
  void set_fuel(std::size_t fuel) { fuel_ = fuel; }
  // In pairs of summands looked at, most of which do not come to a match; where they are spent, nothing more is equal.
  void limit_pairs(std::size_t pairs) { pairs_left_ = pairs; }
  bool spent_pairs() const { return pairs_left_ == 0; }
  // Whether `remainder` is wanted: its text may be long.
  void set_explain(bool explain) { explain_ = explain; }

 private:
  using Pairing = std::vector<std::pair<Factor, Factor>>;
  using Map = Substitution;

  // --- context.cpp, simplify.cpp, simplify_index.cpp

  AtomKey key_of(const Summand& s, const Context& context);
  NormalForm simplified_by_steps(Summand s, const Context& context);
  Term simplified_by_steps(Term term, const Facts& facts);
  std::optional<Term> simpler_atom(Term atom, const Facts& facts);
  Term without_nested_quotients(Term term);  // by positive divisors
  std::optional<Term> simpler_item(Term item, const Facts& facts);
  std::optional<Term> simpler_quotient(Term quotient, const Facts& facts);
  std::optional<Term> split_by_products(Term e, Term m, const Facts& facts) const;
  std::optional<Term> shared_factor(Term e, Term m, const Facts& facts);
  static bool mentions_atom(Term term, Term atom);
  Term simplified_guard(Term fact, const Facts& facts);
  bool contradicts_signs(const Context& context);
  Term unknown_of(Summand summand);
  // Of all outcomes of the comparison those that the context leaves.
  unsigned outcomes_here(AtomRef sign, const Context& context);
  NormalForm simplified(Summand summand, const Context& context);
  NormalForm simplified_inside(const Summand& summand, const Context& context);
  NormalForm rebuilt(const Atom& atom, std::vector<NormalForm> args, int exponent, const Context& inner);
  NormalForm without_unused(const Summand& summand, const Context& context);
  bool eliminate_point(Summand& summand, NormalForm& rest);
  bool eliminate_pinned(Summand& summand, NormalForm& rest);
  std::optional<NormalForm> over_quotients(const Summand& summand, const Context& context);  // multiples.cpp
  // Bound by names that the context does not use: what it says of its own must not be taken for them.
  AtomRef apart(AtomRef atom, const Context& context);
  void drop_implied(Summand& summand, const Context& context);
  Summand cancel_equal(const Summand& summand, const Context& context);
  static std::optional<Literal> free_guard(const std::vector<NormalForm>& forms, const std::vector<Symbol>& bound);
  bool may_split(const Literal& guard) const;

  // --- affine_extremum.cpp
  // The largest of c * f + d, where c and d do not vary, by the largest (the least) of f; as it is where it may be one of
  // nothing.
  NormalForm affine_extremum(const Atom& extremum, const Context& context);
  NormalForm scaled_extremum(const Atom& extremum, const Summand& body, const Context& context);
  // c * max(f, g) as max(c * f, c * g) where c has one sign here (a negative one makes it the other extremum); else as it is.
  NormalForm spread_extremum(const NormalForm& form, const Context& context);
  std::optional<NormalForm> with_spread_extrema(const NormalForm& form, const Context& context);
  // Nor NaN. Looked at is the form, or its product with what it is divided by, where that is positive here.
  bool is_never_negative(NormalForm form, const Context& context);
  // The signs that the factor may have here.
  unsigned signs_of(AtomRef factor, const Context& context) const;

  // --- monotone.cpp
  // Of a product that varies.
  NormalForm monotone_extremum(Atom extremum, const Summand& body, const Context& context);
  // The same comparison of less: without factors that are positive, of what is compared where both sides grow with it.
  Literal simpler_sign(const Literal& literal, const Context& context);
  std::optional<FormBuilder::Conjunctions> simpler_difference(const Literal& literal, const Context& context);
  std::optional<FormBuilder::Conjunctions> simpler_unordered(const Literal& literal, const Context& context);
  std::optional<FormBuilder::Conjunctions> compared_by_arguments(const NormalForm& form, unsigned mask, bool ordered);
  std::vector<Factor> of_known_sign(const std::vector<Factor>& factors, const Context& context, bool ordered, bool& flips);
  Atom with_simpler_signs(const Atom& atom, const Context& context);
  NormalForm as_unordered(NormalForm form, const Context& context);

  // max(c, f) as the larger of c and the extremum of f, where c does not vary and the extremum is one of the other kind.
  std::optional<NormalForm> choice_outside(const Atom& extremum, const Summand& body, const Context& context);

  // --- divisors.cpp
  struct Periods;
  std::optional<NormalForm> without_divisor(const NormalForm& form);
  bool is_zero_here(const NormalForm& form, const Context& context) const;
  std::optional<NormalForm> by_elements(const NormalForm& form);
  std::optional<std::vector<NormalForm>> few_elements(const Atom& atom);
  std::optional<NormalForm> by_exponentials(const NormalForm& form);
  std::optional<Periods> periods_in(const std::vector<Symbol>& bound, const std::vector<Literal>& guards, const NormalForm& body,
                                    const Context& context);
  Term put_apart(const Periods& periods, std::vector<Symbol>& bound, std::vector<Literal>& guards);
  std::optional<NormalForm> by_periods(const Summand& summand, const Context& context);
  std::optional<Piece> by_periods(const Piece& piece, const Context& context);
  bool vanishes_otherwise(const NormalForm& form, const Context& context, int depth);

  // --- equal.cpp, match.cpp, equations.cpp
  bool equal_as_written(const NormalForm& a, const NormalForm& b, const Context& context);
  bool equal_inside(const NormalForm& a, const NormalForm& b, const Context& context, int depth);
  NormalForm difference_of(const NormalForm& a, const NormalForm& b) const;
  bool vanishes(NormalForm form, const Context& context, int depth);
  bool split_and_vanish(const NormalForm& form, const Context& context, int depth);
  // What is bound in the one has other names than what is bound in the other.
  std::optional<NormalForm> match(const Summand& a, const Summand& b, const Context& context, bool partial, int depth);
  std::optional<NormalForm> match_by(const Summand& a, const Summand& b, const Pairing& pairing, const Map& phi, const Map& psi,
                                     const Context& context, bool partial, int depth);
  void equations(AtomRef a, AtomRef b, std::vector<Term>& out);
  void equations(const NormalForm& a, const NormalForm& b, std::vector<Term>& out);
  std::vector<Pairing> pairings(const Summand& a, const Summand& b) const;
  bool equal_atoms(AtomRef a, AtomRef b, const Context& context, int depth);
  bool equal_ordered(AtomRef a, AtomRef b, const Context& context, int depth);

  std::optional<Literal> open_choice(const NormalForm& form);
  static std::optional<Term> upper_bound(Term a, const std::vector<Literal>& guards, const std::vector<Symbol>& unknowns);

  // --- extremum.cpp
  bool equal_extrema(AtomRef a, AtomRef b, const Context& context, int depth);
  std::optional<std::vector<Piece>> pieces(AtomRef a, const Context& context);  // nothing: too many
  NormalForm product_over(AtomRef product, const Context& context);             // products.cpp
  // max(c, maximum of f) as the maximum of max(c, f), where it is not one of nothing; min likewise.
  std::optional<NormalForm> moved_inside(const std::string& name, const std::vector<NormalForm>& args, const Context& context);
  bool has_value(const Atom& extremum, const Context& context);
  bool reaches_value(const Atom& extremum, const Context& context);
  std::vector<Term> ends_by(Symbol index, const std::vector<Symbol>& unknowns, const std::vector<Literal>& guards,
                            const std::vector<Term>& equations, const Map& known);
  bool covered(const Piece& value, const Piece& by, const Context& context, int depth, std::vector<Piece>& left);

  FormBuilder& forms_;
  Arithmetic& arithmetic_;
  std::optional<NormalForm> remainder_;  // as text only when it is asked for, which is seldom
  bool explain_ = true;
  std::size_t fuel_ = 4000;
  std::size_t pairs_left_ = std::numeric_limits<std::size_t>::max();
  std::vector<Literal> split_by_;                                  // by which simplification splits a summand at this moment
  bool as_written_ = false;                                        // compare without simplification and without cases
  std::unordered_map<AtomKey, NormalForm, WordsHash> simplified_;  // what summands become, each in its context
  std::unordered_map<AtomKey, Term, WordsHash> unknowns_;          // for the values of summands, where signs are compared
};

// Their kinds, and what must agree beside for two atoms to be equal.
bool same_skeleton(AtomRef a, AtomRef b);
// Of the same skeletons, one by one.
bool alike(const NormalForm& a, const NormalForm& b);
// Either order of the two operands means the same.
bool commutes(AtomRef atom);

}  // namespace vouch
