// One element of a functional program, once maps, pairs and layouts have become index terms.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "array/program.h"
#include "certify/cell_path.h"

namespace vouch {

// A condition on index terms; of constructors as array::Guard has them.
struct AffineCondition {
  array::GuardKind kind = array::GuardKind::Less;
  std::vector<Term> terms;             // Less, Equal: two
  std::vector<AffineCondition> parts;  // And, Or: two; Not: one
  friend bool operator==(const AffineCondition&, const AffineCondition&) = default;
};

// Constant; Index: `at[0]` as a number; Read: input `number` at `at`; Stored: definition `number` at `at`;
// Op; If: then, else; Pad: args[0] where at[0] <= at[1] < at[2], else `constant`;
// Sum: fold of args[1] from args[0] over index `at[0]` below `extent`; Running: the accumulator of the sum over index `at[0]`.
enum class AffineKind : std::uint8_t { Constant, Index, Read, Stored, Op, If, Pad, Sum, Running };
struct AffineNode;
using Affine = array::Ref<AffineNode>;
struct AffineNode {
  AffineKind kind = AffineKind::Constant;
  array::Const constant;
  array::Op op = array::Op::Neg;
  std::size_t number = 0;
  std::vector<Term> at;
  array::Size extent;         // Sum
  AffineCondition condition;  // If
  std::vector<Affine> args;
  friend bool operator==(const AffineNode&, const AffineNode&) = default;
};

// What `mem` stores, by indices of its own.
struct AffineDefinition {
  std::vector<Term> indices;
  std::vector<array::Size> extents;
  Affine value;
  friend bool operator==(const AffineDefinition&, const AffineDefinition&) = default;
};

struct AffineElement {
  std::vector<Term> indices;  // of the output
  Affine value;
  std::vector<AffineDefinition> stored;
};

// Of the output of a program whose inputs and output are arrays of numbers. Where an element is not such a value: why.
struct AffineAnswer {
  std::optional<AffineElement> element;
  std::string refusal;
  std::string mend;
};
AffineAnswer affine_element(const array::Program& program);

// The indices that the value depends on and does not bind, by what it reads that is stored too.
std::set<Symbol> free_indices(const Affine& value, const std::vector<AffineDefinition>& stored);

// The extents of an array of numbers; nothing of pairs.
std::optional<std::vector<array::Size>> number_extents(const array::Type& type);

}  // namespace vouch
