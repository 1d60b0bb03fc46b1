// The scope of a proof: all that an instance of a rule fixed. A rule may fire where a scope that was proven holds, and nowhere
// else.
//
// A scope speaks of pattern positions: places in `Rule::source_order`, which names and the order of `let`s do not change.
// What it holds are terms: a constant stands for itself, a variable for whatever is found there, the same at each of its
// places. The proof was for every value of the variables that is at least `least` and meets `conditions`; so a match is covered
// if its types, attributes and known elements are those of the scope under one such assignment. What no term speaks of
// (the elements of a tensor that is not known) was free in the proof.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rule/ast.h"
#include "rule/verdict.h"
#include "tensor/type_set.h"

namespace vouch {

struct ScopeType {
  DType dtype = DType::Float32;
  std::vector<Term> extents;
  friend bool operator==(const ScopeType&, const ScopeType&) = default;
};

struct ScopeAttribute {
  enum class Kind : std::uint8_t {
    Absent,    // not given, or given as the operator table's default
    Value,     // equal to `value`
    AnyTuple,  // any tuple that is legal
    Axes,      // the same axes as `value`, in any order and from either end
    AnyOrder   // the numbers of `value` in any order
  };
  Symbol name;
  Kind kind = Kind::Absent;
  AttrValue value;
  std::uint32_t rank = 0;  // Axes: of the tensor that they are axes of
  friend bool operator==(const ScopeAttribute&, const ScopeAttribute&) = default;
};

struct ScopeNode {
  enum class Kind : std::uint8_t { Input, Call, Tuple, Projection, Choice, Instances };
  static constexpr std::int64_t kNoBranch = -2;
  static constexpr std::int64_t kEveryBranch = -1;

  std::uint32_t position = 0;
  std::int64_t branch = kNoBranch;  // of the variadic whose template it is; `kEveryBranch`: the scope is for each one
  Kind kind = Kind::Input;
  std::vector<ScopeType> types;  // Input: its type. Call: element type and rank of each result, extents are left open
  // Input: the elements, row-major, if the proof knew them; `fill` is what all of them are.
  std::optional<std::vector<Term>> elements;
  std::optional<Term> fill;
  // Input: the elements are axes of a tensor of this rank, in any order and from either end.
  std::optional<std::uint32_t> axes_of_rank;
  bool any_order = false;  // Input: the elements stand in any order
  // Input: each element, which `element` stands for, meets these.
  std::vector<Term> every;
  Symbol element;
  // Input: a list of any length, and element `list_index` of it.
  std::optional<Term> list_element;
  Symbol list_index;
  OpId op = 0;                             // Call
  std::vector<ScopeAttribute> attributes;  // Call: every one that the operator has, in the table's order
  std::uint32_t count = 0;                 // Tuple: items. Projection: the item. Choice: which option, by its place
  // Instances of a variadic, and the list of an input: how many. `index` is the number of a branch in terms of every branch.
  std::optional<Term> length;
  Symbol index;
  friend bool operator==(const ScopeNode&, const ScopeNode&) = default;
};

struct Scope {
  // from <= index < length: conditions that speak of `index` hold for each of its values.
  struct Range {
    Symbol index;
    Term length;
    std::int64_t from = 0;
    friend bool operator==(const Range&, const Range&) = default;
  };
  struct Bound {
    Symbol symbol;
    std::int64_t least = 0;
    friend bool operator==(const Bound&, const Bound&) = default;
  };
  Verdict proven = Verdict::Unknown;
  AxisNumbers axis_numbers;  // of each role of the rule
  // Element types that stand for others, with all that each stands for: one of these, and the same wherever the scope has it.
  std::vector<std::pair<DType, TypeSet>> stands_for;
  bool axis_by_axis = false;     // tensors of ranks 0 and 1 stand for any rank: covered where the match along each axis is
  bool distinct_types = false;   // types that differ in the scope differ in the match
  std::vector<ScopeNode> nodes;  // by position and branch; a pattern of which there is none is not matched
  std::vector<Bound> bounds;
  std::vector<Range> ranges;
  std::vector<Term> conditions;
  friend bool operator==(const Scope&, const Scope&) = default;
};

// What a type of the scope stands for.
TypeSet types_of(const Scope& scope, DType dtype);

// Position by pattern; kNone for patterns that the source does not have.
std::vector<std::uint32_t> pattern_positions(const Rule& rule);

// What a person is shown of one node: `float32[*, 3]`, `Softmax {axis = 1}`.
std::string describe(const Scope& scope, const ScopeNode& node);

}  // namespace vouch
