// Roles of axes: `axes x = (batch, k), w = (k, n);`. A role is a group of adjacent axes; how many it has is the same in every
// tensor that has it, and otherwise open within its range. A match and an instance fix these numbers, one for each role.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rule/ast.h"

namespace vouch {

// Null if nothing is said of the pattern's axes.
const AxisLayout* layout_of(const Rule& rule, PatternId pattern);
// The position among `Rule::roles` of a role that the layout has.
std::optional<std::uint32_t> role_in(const Rule& rule, const AxisLayout& layout, Symbol name);

std::uint32_t axes_together(const AxisLayout& layout, const AxisNumbers& numbers);
// Where the axes of this role stand in the tensor, from the first on.
std::vector<std::int64_t> axes_of_role(const AxisLayout& layout, std::uint32_t role, const AxisNumbers& numbers);

// Does an attribute of a source call, or the value of a constant, say nothing but which axes a call takes? Then their order and
// the end from which they are counted do not matter, as operators have it (`AttrDomain::Axes`, `OperandDomain::Axes`).
bool only_names_axes(const Rule& rule, PatternId pattern, Symbol attribute);
// Are these the axes of a role (an expression of kind Axes), each once, in any order and from either end?
bool names_axes(const Rule& rule, const AttrExpr& role, const AttrValue& found, const AxisNumbers& numbers);

// Is there a number for each role, within its range?
bool are_claimed(const Rule& rule, const AxisNumbers& numbers);
// The most axes of a layout that are tried where tensors usually have no more than `usual`: all that its roles can have where
// each has a highest number, and at least as many as they need.
std::uint32_t most_axes(const Rule& rule, const AxisLayout& layout, std::uint32_t usual);
// Calls `visit` with numbers for which no layout (in the rule's order) has more axes than `most` says of it, smaller ones first,
// until it returns false. Of a rule without roles: once, with none. False if there are others, with more axes.
bool for_each_axis_numbers(const Rule& rule, const std::vector<std::uint32_t>& most,
                           const std::function<bool(const AxisNumbers&)>& visit);

// `batch 2, k 1`
std::string axes_text(const Rule& rule, const AxisNumbers& numbers);

// Orders layouts as the source orders their patterns, and roles as the layouts name them: so equal rules have equal numbers.
void order_axes(Rule& rule);

}  // namespace vouch
