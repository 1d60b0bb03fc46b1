// Is the target defined wherever the source is? Partial functions (algebra/partial.h) are applied by the one to what the other
// applies them to.
#pragma once

#include <optional>
#include <string>

#include "algebra/equality.h"
#include "algebra/partial.h"

namespace vouch {

class Definedness {
 public:
  Definedness(FormBuilder& forms, Equality& equality, Arithmetic& arithmetic)
      : forms_(forms), equality_(equality), arithmetic_(arithmetic) {}

  // From now on the extremum of some numbers counts as one of them: the source has no value where any of these has none. Not
  // where a comparison sees that a number has none (`sees_undefined`).
  void take_extrema_as_elements() { extrema_are_elements_ = true; }

  // What may be undefined of what is wanted where all that is known has a value; nothing: all of it is defined.
  std::optional<std::string> uncovered(const PartialUses& wanted, const PartialUses& known, const Context& context);
  bool is_not_zero(AtomRef atom, const PartialUses& known, const Context& context);
  // What has no value wherever it is computed, whatever is read: a quotient by 0, a root or a logarithm of what lies outside of
  // its domain.
  std::optional<std::string> nowhere_defined(const PartialUses& uses, const Context& context);

 private:
  // Is this, or more than this, among what is known?
  bool is_said(const Equality::Piece& piece, const std::vector<Equality::Piece>& known, const Context& context);
  Equality::Piece without_unnamed(Equality::Piece piece, const Context& context);
  Equality::Piece without_limit(Equality::Piece piece, const Context& context);
  bool is_surely_defined(const std::string& name, const Equality::Piece& piece, const Context& context);
  // (Of what is no more than an end of the domain, there may be a value at that end alone.)
  bool is_surely_undefined(const std::string& name, const NormalForm& argument, const Context& context);
  bool is_never_positive(const NormalForm& form, const Context& context);
  // Whether the sign is surely one of these: all summands of one sign.
  bool sign_within(const NormalForm& form, unsigned wanted, const Context& context);

  FormBuilder& forms_;
  Equality& equality_;
  Arithmetic& arithmetic_;
  bool extrema_are_elements_ = false;
};

// Is what has no value for some numbers, a root, a logarithm, a quotient, compared with something?
bool sees_undefined(Term scalar);

}  // namespace vouch
