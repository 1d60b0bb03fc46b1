// Compiles a scalar term into a loop program.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "kernel/loop_program.h"
#include "kernel/ranges.h"

namespace vouch {

// Tensors that a program may read, by position.
struct TensorSlot {
  DType dtype = DType::Float32;
  Extents extents;
};

struct TensorTable {
  std::unordered_map<Symbol, std::uint32_t> position;
  std::vector<TensorSlot> slots;
};

// The same term with every bound index under a name of its own, bound in `ranges`, and simplified by them. Nothing, with
// `error` set: an extent that is not bounded.
std::optional<Term> prepare_body(Term body, Ranges& ranges, std::string& error);

// `body` has been prepared with `ranges`, in which the axes are bound too; reads only tensors of the table, at their
// ranks. Nothing, with `error` set: a variable without value, index arithmetic beyond 64 bits.
std::optional<LoopProgram> compile_loops(Term body, std::vector<Axis> outer, std::vector<Axis> lanes,
                                         const TensorTable& tensors, Ranges& ranges, std::string& error);

}  // namespace vouch
