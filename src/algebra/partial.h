// Where a scalar term applies functions that are not defined everywhere, and to what: divisions, roots, logarithms, …, and
// the elements of tensors at positions that are data.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "algebra/equality.h"

namespace vouch {

// x^(n/2) for a number n by roots and quotients, which are defined where the power is: x^(-1/2) as 1/sqrt(x).
std::optional<Term> power_by_roots(Term power);

// Do data tell this index of an element? Sizes of families are none.
bool is_told_by_data(Term index, const Families& families);
// Is this the name of positions along an axis?
bool is_position(std::string_view name);

// What becomes of a number that has no value, which is NaN in floats: the result has none either; or it is compared, and nothing
// but the truth value of that reaches the result.
enum class Fate : std::uint8_t { Any, Kept, Forgotten };

class PartialUses {
 public:
  PartialUses(FormBuilder& forms, const Families& families, Term scalar, Fate fate = Fate::Any);
  // Those alone at which a run fails, whatever becomes of the element: where others give NaN or infinity, a position outside of a
  // tensor and an integer divided by 0 end it. What is added is a scalar at all indices below these extents.
  static PartialUses that_fail(FormBuilder& forms, const Families& families);
  void add(const std::vector<Symbol>& indices, const std::vector<Term>& extents, Term scalar);
  // By name of the function (`division` for quotients: the divisor; `element of X along axis k`: its index there), the arguments
  // with their bound indices and guards.
  const std::map<std::string, std::vector<Equality::Piece>>& pieces() const { return pieces_; }
  const std::vector<Equality::Piece>& of(const std::string& name) const;

 private:
  PartialUses(FormBuilder& forms, const Families& families, bool failing)
      : forms_(forms), families_(families), failing_(failing) {}
  void visit(Term term, const std::vector<Symbol>& bound, const std::vector<Literal>& guards);
  void visit_reduce(Term term, const std::vector<Symbol>& bound, const std::vector<Literal>& guards);
  void visit_scalars_of(Term term, const std::vector<Symbol>& bound, const std::vector<Literal>& guards);
  void visit_function(Term call, const std::vector<Symbol>& bound, const std::vector<Literal>& guards);
  void add_element(Term read, const std::vector<Symbol>& bound, const std::vector<Literal>& guards);
  void add(const std::string& name, Term arg, const std::vector<Symbol>& bound, const std::vector<Literal>& guards);
  void visit_condition(Term choice, const std::vector<Symbol>& bound, const std::vector<Literal>& guards);
  void visit_comparison(Term comparison, const std::vector<Symbol>& bound, const std::vector<Literal>& guards);
  bool is_asked_for() const { return fate_ == Fate::Any || (fate_ == Fate::Forgotten) == compared_; }

  FormBuilder& forms_;
  const Families& families_;
  bool failing_ = false;
  Fate fate_ = Fate::Any;
  bool compared_ = false;
  std::unordered_set<Term> kept_;  // where a condition is visited: what both choices have no value without
  std::map<std::string, std::vector<Equality::Piece>> pieces_;
};

// Are there any that fail at a run?
bool has_some_that_fail(Term scalar);

}  // namespace vouch
