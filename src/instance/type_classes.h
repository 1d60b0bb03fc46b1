// Which element types one instance stands for.
//
// Types are grouped into classes by what can tell them apart in a rule; an instance has one type of a class, and what is proven
// of it holds of the others. Why: let two types A and B be in one class, and let the instance be of A. Every operator of the rule
// takes both or neither, and gives for B the kernel, conditions and sizes that it gives for A but for the name of the type
// (`TypeSense`, of which tests/unit/check/type_classes_test.cpp asks every operator and every shipped rule). What a proof knows
// of a type is its kind (is it bool, has it fractions, does it wrap around) and, of numbers that are stored, whether the type has
// them. Elements that a type stores are an uninterpreted function of what was computed (instance/stores.h): so what was proven
// for A's function holds for B's. By kind:
//  - Moved elements are never looked at, so that float32, of which least is known, stands for every type; if reals had to be used
//    all the same, for floats only.
//  - Floats: rounding is the opaque function, whatever the width. Operators that compute narrow floats in float32 (`Widths`) keep
//    these apart.
//  - Integers: wrap-around is; signed and unsigned differ in which operators take them and in what Abs stores.
//  - bool stands for itself.
// Conversions are functions of both types; whoever converts (`Each`) has every type tried, and an instance in which an element is
// converted stands for its own types alone. So do types that a rule names, and numbers that one type has and another has not
// divide a class; of a number that is rounded, each float type has another. Tensors of one type in the instance have one type in
// the match. Where the rule compares types, types that differ in the instance differ there.
#pragma once

#include <vector>

#include "instance/instance.h"
#include "rule/ast.h"
#include "tensor/type_set.h"

namespace vouch {

class TypeClasses {
 public:
  // Each type by itself.
  static TypeClasses apart(const std::vector<DType>& tried);
  static TypeClasses of(const Rule& rule);

  // The first type of each class is the one that is tried: float32 before int64 and bool.
  const std::vector<std::vector<DType>>& all() const { return classes_; }
  std::vector<DType> tried() const;
  // The types that this one stands for; itself alone if it is not tried.
  TypeSet of(DType tried) const;
  // Are floats of two classes tried beside each other? Only where the rule names a float type or converts to a type: elsewhere
  // all floats of a match are of one type, or it is not covered.
  bool mixes_floats() const { return mixes_floats_; }
  // Where the rule compares types.
  bool distinct() const { return distinct_; }

  // Does each type stand for itself alone?
  bool all_are_apart() const;

  void tell_apart(TypeSet types);
  void tell_apart(OpId op);
  void tell_apart(Term number);

 private:
  void tell_apart_by(const Rule& rule);
  void tell_all_apart();

  std::vector<std::vector<DType>> classes_;
  bool distinct_ = false;
  bool mixes_floats_ = false;
};

// What the scope says of types, given the classes of the rule.
void set_types(const TypeClasses& of_rule, const Instance& instance, Scope& scope);

}  // namespace vouch
