// What an element of a type holds after a value was computed for it: kernels round and wrap at each element that they store
// (kernel/kernel.h), so the meanings of calls composed into one another keep the stores that lie between them.
//
// Both kinds are uninterpreted functions of the value.
// - A *store* into the type that was computed in. Whatever law the value was found by, what is stored of equal values is equal;
//   over the reals it is the value itself (`without_stores`; integers: where wrapping does not matter). Types are numbered as
//   they come up in an instance, so that proofs do not depend on which type it is.
// - A *conversion* of elements of one type into another, which no algebra takes away: integers lose bits, numbers fractions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "algebra/store_terms.h"
#include "instance/instance.h"
#include "tensor/dtype.h"

namespace vouch {

// Is every value of one type a value of the other? (IEEE 754's formats; float16's range does not hold bfloat16's.)
bool holds_all(DType from, DType to);

// The elements that stand before a branch in a concatenation of this type, or after it: of these only the type is known.
Symbol beside_a_branch(DType dtype, bool after);

class Stores {
 public:
  explicit Stores(const Instance& instance);

  // Stores lie as deep as they can: rounding keeps order and sign, and choosing rounds nothing. None is left where the value is
  // one of the type. What may have a fraction loses it in an integer type: that is a conversion.
  Term stored(DType to, Term value) const;
  // Of integers all conversions into one type are one function of the number, whatever type that had.
  Term converted(DType from, DType to, Term value) const;

  // Over the reals, but for integers: what they wrap around is kept.
  Term without_roundings(Term term) const;

  // The type of the integers that the term stores; nothing if it is no such store.
  std::optional<DType> stored_integers(Term term) const;
  // Is the value surely one of an element of the type, whatever is read?
  bool is_element(Term value, DType to) const;
  // Has the value no fraction, whatever is read?
  bool is_whole(Term value) const;
  // The numbers of types that are integers, as bits.
  std::uint64_t integers() const;

  // The numbers of the types: what is stored under one key is the same term.
  const std::array<std::uint64_t, 2>& key() const { return key_; }

 private:
  void note_element(Term element, DType dtype);
  std::optional<DType> type_of(Symbol read) const;
  DType stored_type(int number) const;
  // Is the value one of the type? What is stored, and numbers that are attributes (float32, as ONNX has them), if `trusted`.
  bool fits(Term value, DType to, bool trusted) const;
  bool call_fits(Term call, DType to, bool trusted) const;
  bool is_whole_call(Term call) const;
  // Is every value of a term of whole numbers one of the type, whatever is read? False where proofs are for other types, too.
  bool lies_within(Term value, DType to) const;
  Term pushed(DType to, Term value) const;
  // A conversion as those of what is chosen from; nothing where it is not.
  Term converted_inside(DType from, DType to, Term value) const;

  std::vector<std::pair<Symbol, DType>> types_;  // the first that is said, of what is read, and of elements of constants
  std::vector<DType> numbered_;
  bool own_types_ = false;
  std::array<std::uint64_t, 2> key_{1, 0};
};

// An element of a constant of floats that a rule computes: exact numbers have no -0, which floats give for 0 * -1.
Term constant_element_of(Term computed);
// A float attribute that was computed: ONNX's are of float32, so it is rounded, as a store would. What was given is as it was,
// unless it is `wide`: an element of float64.
Term attribute_of(Term computed, bool wide = false);

}  // namespace vouch
