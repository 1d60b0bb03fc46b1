// Flat programs, a small part of C: every variable is a scalar or one array of scalars in a row. Mirrors
// coq/imp/Flat.v; names are those of the imperative language.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "array/ast.h"

namespace vouch::array {

// Read v without index: a scalar variable; with: element `index` of an array. Position: the number `index`.
enum class FlatExpKind : std::uint8_t { Read, Const, Position, Op, If };
struct FlatExpNode;
using FlatExp = Ref<FlatExpNode>;
struct FlatExpNode {
  FlatExpKind kind = FlatExpKind::Read;
  unsigned var = 0;
  Index index;  // Read of an array; Position
  array::Const constant;
  array::Op op = Op::Neg;
  Guard guard;
  std::vector<FlatExp> args;
  friend bool operator==(const FlatExpNode&, const FlatExpNode&) = default;
};
FlatExp flat_read(unsigned var, const Index& index);
FlatExp flat_const(const Const& constant);
FlatExp flat_index(const Index& index);
FlatExp flat_op(Op op, std::vector<FlatExp> args);
FlatExp flat_if(const Guard& guard, const FlatExp& then, const FlatExp& otherwise);

// A loop over positions that stores where what data says equals the position: `i`, then, under `if (0 <= i && i < n)`, one
// assignment. Mirrors coq/imp/Gather.v.
struct FlatGather {
  FlatExp from;
  FlatExp value;
};

// The first less the second, not below 0.
using FlatDifference = std::pair<Index, Index>;

enum class FlatKind : std::uint8_t { Skip, Seq, Assign, New, For };
struct FlatNode;
using Flat = Ref<FlatNode>;
struct FlatNode {
  FlatKind kind = FlatKind::Skip;
  unsigned var = 0;  // Assign, New: the variable; For: the loop variable
  Index index;       // Assign: into an array
  FlatExp value;     // Assign
  Size size;         // New: extent, none of a scalar; For: iterations
  LoopKind loop = LoopKind::Seq;
  IndexName index_name;  // For
  // For, in order: no iteration below a difference of `from`, none from one of `until` on
  std::vector<FlatDifference> from = {};
  std::vector<FlatDifference> until = {};
  std::vector<Flat> parts;  // Seq: two; New, For: one
  friend bool operator==(const FlatNode&, const FlatNode&) = default;
};

std::optional<FlatGather> gather_of(const Flat& c);

// The loop variable occurs.
bool mentions(const Index& index, unsigned loop);
bool mentions(const Guard& guard, unsigned loop);

}  // namespace vouch::array
