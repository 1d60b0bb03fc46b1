// Paths into values with index terms in place of numbers, and what layouts and steps do to them. Mirrors the first half of
// coq/lower/Flatten.v; in the C text, a path is index arithmetic.
#pragma once

#include <vector>

#include "imp/ast.h"

namespace vouch::array {

// Outermost step first.
enum class PathKind : std::uint8_t { At, Fst, Snd };
struct PathStep {
  PathKind kind = PathKind::At;
  Index index;
};
using Path = std::vector<PathStep>;

PathStep path_at(const Index& index);
// Step i is there and goes into an array.
bool is_at(const Path& path, std::size_t i);

// The cell at `path` of a layout's result is the cell at the new path of its argument.
void through_layout(const Layout& of, Path& path);
// The cell at `path` of a part is the cell at the new path of the whole.
void through_step(const Step& step, Path& path);

// The number of cells.
Size type_size(const Type& type);
// Where a path ends up in a variable of that type: arrays row by row, halves of a pair one after the other. None in a scalar.
Index path_offset(const Type& type, const Path& path);

// lo <= i < lo + n
Guard pad_guard(const Size& lo, const Size& n, const Index& i);

}  // namespace vouch::array
