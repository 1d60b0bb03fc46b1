// Wrong neighbours of a rule: one small change each, of the kinds of mistake that people make. Most mutants of a sound rule
// are unsound; a checker is judged by them, since one that calls everything sound would pass every other test.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rule/ast.h"

namespace vouch {

enum class Mutation : std::uint8_t {
  Axis,               // an axis, axes or permutation of the target
  Stride,             // strides or dilations of the target
  Pad,                // padding of the target
  Group,              // groups of the target
  OperandOrder,       // two operands, or two items of a tuple, of the target
  Offset,             // an integer inside of an attribute expression of the target, by one; + for -
  DroppedConstraint,  // a `where`, or what a source pattern demands of an attribute
  ReductionKind,      // sum for mean or maximum, and so on, of an operator or an attribute expression
  Constant,           // the value of a constant of the target
};
inline constexpr int kMutationCount = 9;

std::string_view mutation_name(Mutation kind);

struct Mutant {
  Rule rule;  // named `NAME_mutant_N`
  Mutation kind = Mutation::Axis;
  std::string what;  // `Split: axis 1 becomes 2`
};

// Every mutant that is a well-formed rule of another meaning than the original's text has, in a fixed order.
std::vector<Mutant> mutants(const Rule& rule);

}  // namespace vouch
