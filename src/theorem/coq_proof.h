// Proofs that two scalar terms are equal, as Coq text over `coq/tensor/Prove.v`.
//
// First by structure: the same operations on equal operands, choices decided or split. Else as terms of sums: both sides are
// distributed, terms that cannot hold are dropped, others cancel in pairs by a bijection between their domains; what is left
// has no bound indices and is a matter of `ring`. Whatever is written here is checked by Coq alone: a wrong step is no harm.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "theorem/coq_facts.h"
#include "theorem/coq_term.h"

namespace vouch {

// A term with the names that its bound indices have outside of it: `by` for the facts, printed as these variables.
struct CoqSide {
  Term term;
  Substitution by;
};

inline bool is_sum_over_box(Term t) { return t.kind() == TermKind::Reduce && t->reduction == Reduction::Sum; }

class CoqProof {
 public:
  CoqProof(CoqFacts& facts, CoqNames& names, CoqPrinter& printer) : facts_(facts), names_(names), printer_(printer) {}

  // The lines that prove `a = b` where the facts hold; nothing if no proof was found.
  std::optional<std::string> prove(Term a, Term b, const Facts& facts);
  const std::string& reason() const { return reason_; }
  // What a proof uses of a function that rounds: it gives whole numbers, leaves them as they are (divided by 1, where it
  // divides), is never less of more.
  enum class Rounding : std::uint8_t { GivesWhole, KeepsWhole, KeepsWholeByOne, Rises };
  // Tensors of which the proof uses that their elements are numbers of their type, and what it uses of functions that round.
  const std::set<Symbol>& of_types() const { return of_types_; }
  // Tensors of which it uses that their elements are whole.
  const std::set<Symbol>& wholes() const { return wholes_; }
  const std::set<std::pair<Fn, Rounding>>& roundings() const { return roundings_; }
  // Laws of coq/tensor/Laws.v that it uses, by the names of their hypotheses.
  const std::map<std::string, std::string>& laws() const { return laws_; }

 private:
  struct Leaf {
    Term term;
    Substitution by;
    bool inverse = false;
  };
  // One term of a sum: indices, outermost first, with their extents.
  struct Raw {
    Rational coefficient = 1;
    std::vector<std::pair<Symbol, Term>> bound;
    std::vector<Term> guards;
    std::vector<Leaf> leaves;
  };
  using Raws = std::vector<Raw>;

  // --- coq_structure.cpp
  bool equal(const CoqSide& a, const CoqSide& b, const Facts& facts);
  bool of_reals(const CoqSide& a, const CoqSide& b, const Facts& facts);
  bool structural(const CoqSide& a, const CoqSide& b, const Facts& facts);
  bool choice(const CoqSide& a, const CoqSide& b, const Facts& facts);
  bool same_head(const CoqSide& a, const CoqSide& b, const Facts& facts);
  bool operands(const std::string& step, const CoqSide& a, const CoqSide& b, const Facts& facts);
  bool shifted_exponentials(const CoqSide& a, const CoqSide& b, const Facts& facts);
  bool reductions(const CoqSide& a, const CoqSide& b, const Facts& facts);
  bool reduced_bodies(const CoqSide& a, const CoqSide& b, const Facts& facts);
  bool by_cases(Term guard, const std::string& text, const Facts& facts, const std::function<bool(const Facts&)>& rest);

  bool over_reals() const { return printer_.scalars() == CoqScalars::Reals; }
  // Written as a sum by index, not as one of a list.
  bool is_summed(Term reduction) const { return over_reals() && reduction->reduction == Reduction::Sum; }

  // --- coq_axes.cpp
  struct MergedIndex {
    CoqSide of;          // the reduction
    std::size_t at = 0;  // which of its axes
    Term before = 0;     // the part of its index that is known
    Term size = Term();  // how many values the rest has; none: as many as the axis
  };
  bool merged_axes(const CoqSide& a, const CoqSide& b, const Facts& facts);
  bool taken_apart(MergedIndex& merged, Term extent, Symbol index, const Facts& facts);
  bool chosen_alike(const CoqSide& a, const CoqSide& b, const Facts& facts);

  // --- coq_laws.cpp
  bool of_laws(const CoqSide& a, const CoqSide& b, const Facts& facts);
  bool swapped(const CoqSide& a, const CoqSide& b, const Facts& facts);
  struct Signed {
    Term number;
    std::string by;
  };
  std::optional<Signed> changed_sign(Term term);
  std::optional<Signed> changed_twice(Term term);
  bool sign_twice(const CoqSide& a, const CoqSide& b, const Facts& facts);
  bool same_lattice_leaves(const CoqSide& a, const CoqSide& b, const Facts& facts);
  bool larger_of_extremum(const CoqSide& a, const CoqSide& b, const Facts& facts);
  bool padded_extremum(const CoqSide& a, const CoqSide& b, const Facts& facts);
  bool covered(const CoqSide& first, const CoqSide& second, bool padded_first, const Facts& facts);
  bool covered_values(const CoqSide& with_padding, const CoqSide& plain, bool padded_first, const Facts& facts);
  void lattice_leaves(Fn fn, const CoqSide& side, std::vector<CoqSide>& out);
  // The name of the hypothesis.
  std::string commuting(TermKind kind);
  std::string semilattice(Fn fn);

  // --- coq_truths.cpp
  // One of the cases that what is not decided makes.
  struct TruthCase {
    std::vector<std::string> atoms;
    std::size_t holds = 0;                       // bit by bit
    std::map<std::string, std::string> aliases;  // of elements
    bool decided(const std::string& given);
    const std::string& known_as(const std::string& text) const;
  };
  std::string element_text(const CoqSide& read);
  void name_elements(TruthCase& at, const CoqSide& side, std::vector<CoqSide>& known, const Facts& facts);
  bool by_truths(const CoqSide& a, const CoqSide& b, const Facts& facts);
  bool guard_in(TruthCase& at, const CoqSide& g);
  CoqSide value_in(TruthCase& at, const CoqSide& side);

  // --- coq_steps.cpp
  bool steps_again(const CoqSide& a, const CoqSide& b, const Facts& facts);
  bool rounded_again(const CoqSide& a, const CoqSide& b, const Facts& facts);
  bool steps_of_clamped(const CoqSide& a, const CoqSide& b, const Facts& facts);
  bool quotient_by_one(const CoqSide& a, const CoqSide& b, const Facts& facts);
  bool are_elements(Term value, const NumberRange& range, std::set<Symbol>& read) const;

  // --- coq_compared.cpp
  bool same_guards(const CoqSide& g, const CoqSide& h, const Facts& facts);
  bool same_comparison(const CoqSide& g, const CoqSide& h, const Facts& facts);
  bool same_operands(const CoqSide& g, const CoqSide& h, const Facts& facts);
  bool comparison_of_grown(Fn grows, const CoqSide& g, const CoqSide& h, const Facts& facts);
  std::string guard(const CoqSide& side) { return printer_.guard(side.term, environment(side.by)); }

  // --- coq_values.cpp
  bool there_are_values(const CoqSide& a, const CoqSide& b, const Facts& facts);
  bool some_value(const CoqSide& extremum, const Facts& facts);
  std::string first_value(Symbol index, Term guard, const Facts& facts);

  // --- coq_field.cpp
  bool algebraic(const CoqSide& a, const CoqSide& b, const Facts& facts);
  bool simplified_first(const CoqSide& a, const CoqSide& b, const Facts& facts);
  // Everything inside simplified; bound indices under names of their own.
  Term simpler(Term term, const Substitution& by, const Facts& facts);
  // A guard that speaks of nothing bound and is not decided.
  std::optional<Term> open_guard(Term term, const Substitution& by, const Facts& facts, std::vector<Symbol>& bound);
  // With the decided guards gone.
  Term resolved(Term term, const Substitution& by, const Facts& facts, std::vector<Symbol>& bound);
  void leaves(const CoqSide& side, std::vector<CoqSide>& out);
  std::size_t place_of(const CoqSide& leaf, std::vector<CoqSide>& known, const Facts& facts);
  bool flat(const CoqSide& a, const CoqSide& b, const Facts& facts);

  // --- coq_sums.cpp
  bool terms(const CoqSide& a, const CoqSide& b, const Facts& facts);
  std::optional<Raws> raws(Term term, const Substitution& by);
  static std::string shown(const Raw& raw);
  Raw renamed(const Raw& raw);
  Raw renamed_with(const Raw& raw, Term guard);
  std::string deep(Term term, const CoqEnvironment& env, const std::vector<Symbol>& bound);
  std::string deep_sum(Term term, CoqEnvironment env, std::vector<Symbol> bound);
  bool drop_dead(Raws& list, const Facts& facts);
  bool cancel_some(Raws& list, const Facts& facts, bool partial);
  void split_term(Raws& list, std::size_t i, Term guard);
  Facts facts_of(const Raw& raw, const Facts& facts);
  CoqEnvironment numbered(const Raw& raw);
  std::string intros(const Raw& raw, const std::string& here);

  // --- coq_cancel.cpp
  struct Split {
    Term guard;
    bool second = false;  // of the second term
  };
  using Pairing = std::vector<std::size_t>;
  std::vector<Pairing> pairings(const Raw& a, const Raw& b);
  Substitution solved(const std::vector<Term>& equations, const Raw& raw, const Facts& facts);
  bool cancel(const Raw& a, const Raw& b, std::size_t i, std::size_t j, const Facts& facts, std::optional<Split>* split);
  std::optional<Term> missing(const Raw& to, const Substitution& map, const Facts& facts);
  bool cancel_by(const Raw& a, const Raw& b, const Pairing& pairing, const Substitution& phi, const Substitution& psi,
                 std::size_t i, std::size_t j, const Facts& facts, std::optional<Split>* split);
  bool note_split(const std::optional<Term>& lost_a, const Facts& in_a, const std::optional<Term>& lost_b, const Facts& in_b,
                  std::optional<Split>* split);
  static Substitution composed(const Substitution& by, const Substitution& map);
  std::string map_text(const Raw& from, const Raw& to, const Substitution& map);
  bool say_cancel(const Raw& a, const Raw& b, const Pairing& pairing, const Substitution& phi, const Substitution& psi,
                  std::size_t i, std::size_t j, const Facts& in_a);
  std::string environment_text(Term term, const Substitution& by, const CoqEnvironment& numbers);

  // --- text
  CoqEnvironment environment(const Substitution& by);
  std::string scalar(const CoqSide& side) { return environment_text(side.term, side.by, {}); }
  void line(const std::string& text);
  struct Mark {
    std::size_t length;
    int indent;
    std::map<std::string, std::string> laws;
  };
  Mark mark() const { return {out_.size(), indent_, laws_}; }
  bool undo(const Mark& to);
  bool braced(const std::function<bool()>& inside);
  std::string fresh(const std::string& like) { return names_.fresh(like); }

  CoqFacts& facts_;
  CoqNames& names_;
  CoqPrinter& printer_;
  std::string out_;
  int indent_ = 1;
  int fuel_ = 3000;
  int depth_ = 0;
  int counter_ = 0;
  int splits_left_ = 16;
  std::string reason_;
  std::set<Symbol> of_types_;
  std::set<Symbol> wholes_;
  std::set<std::pair<Fn, Rounding>> roundings_;
  std::map<std::string, std::string> laws_;
};

// Of the same operator, with as many arguments and bound names.
inline bool same_kind(Term x, Term y) {
  return x.kind() == y.kind() && x->symbol == y->symbol && x->fn == y->fn && x->reduction == y->reduction &&
         x.args().size() == y.args().size() && x->bound.size() == y->bound.size();
}

}  // namespace vouch
