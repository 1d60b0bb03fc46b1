// What definitions ask of their operands and list-valued attributes.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "graph/op_def.h"

namespace vouch {

using Terms = std::vector<Term>;

// --- element types and ranks; each fails the call with the operand's name unless it holds
bool require_float(OpContext& c, std::size_t operand);
bool require_numeric(OpContext& c, std::size_t operand);  // not bool
bool require_integer(OpContext& c, std::size_t operand);
bool require_bool(OpContext& c, std::size_t operand);
bool require_same_dtype(OpContext& c, std::size_t a, std::size_t b);
bool require_rank(OpContext& c, std::size_t operand, std::size_t rank);
bool require_rank_at_least(OpContext& c, std::size_t operand, std::size_t rank);
bool require_equal_extents(OpContext& c, std::size_t a, std::size_t b);
// One element: rank 0, or every size 1.
void require_scalar(OpContext& c, std::size_t operand);
// Of a tuple operand: at least one item, all tensors of one element type.
bool require_like_items(OpContext& c, std::size_t operand);

// Every size of the list is at least 1 (`what` names them in the message).
void require_non_empty(OpContext& c, const Terms& extents, std::string_view what);

// --- calls that are read in two ways
// Legal only where the guard holds: elsewhere ONNX and its runtimes differ, and nothing is said of what the call means.
void require_one_reading(OpContext& c, Term guard, std::string message);

// --- operands that are parameters
// The elements as integer terms; fails the call if they are not known.
std::optional<Terms> known_terms(OpContext& c, std::size_t operand);
// The same as numbers.
std::optional<std::vector<std::int64_t>> known_numbers(OpContext& c, std::size_t operand);
// The elements of a list of known length: known ones, or else reads of the data.
std::optional<Terms> list_terms(OpContext& c, std::size_t operand);
// The extent itself, or a fresh one if it depends on data.
Term settled(OpContext& c, Term extent);
// The length of a list operand, if it is a number of axes; fails the call if not.
std::optional<std::size_t> list_length(OpContext& c, std::size_t operand);
Terms fresh_extents(OpContext& c, std::size_t count);
// The only element of an operand of rank 0, or of one whose sizes are all 1.
Term read_scalar(const OpContext& c, std::size_t operand);

// --- attributes
// The list, or if absent `count` times what its declaration says (1 if nothing); fails the call if it has another length.
Terms list_or_each(OpContext& c, std::string_view name, std::size_t count);
// The same where one integer may stand for all.
Terms spread_or_each(OpContext& c, std::string_view name, std::size_t count);
DType dtype_attr(OpContext& c, std::string_view name, DType otherwise);
// Axes made non-negative, each given once, in increasing order.
std::vector<std::size_t> normal_axes(OpContext& c, const std::vector<std::int64_t>& axes, std::size_t rank);

// --- lists
bool contains(const std::vector<std::size_t>& axes, std::size_t axis);
Terms without_axes(const Terms& list, const std::vector<std::size_t>& axes);
std::optional<std::vector<std::int64_t>> numbers(const Terms& terms);

}  // namespace vouch
