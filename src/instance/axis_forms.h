// How much of a list of axes a rule can tell: which lists have to be tried for all.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "rule/ast.h"

namespace vouch {

enum class AxisForm : std::uint8_t {
  Full,      // order and signs: the rule looks at them, or hands them on to where order has a meaning
  AnyOrder,  // signs: handed on, perhaps to a tensor of another rank; or the order is one that lists beside them follow
  Canonical  // nothing but which axes they are
};

// Attributes of source calls whose value the rule uses beyond handing it on to an attribute of the same declaration.
using LookedAt = std::set<std::pair<PatternId, Symbol>>;
LookedAt looked_at(const Rule& rule);

AxisForm form_of_attribute(const Rule& rule, const LookedAt& looked_at, PatternId call, Symbol name);
// Of an input that is a list of axes to some call.
AxisForm form_of_operand(const Rule& rule, PatternId input);

// Every list of distinct axes of a tensor of this rank, as far as the form tells lists apart; the empty one, too.
std::vector<std::vector<std::int64_t>> axis_lists(std::size_t rank, AxisForm form);

// The same where the rank is not known, up to this one.
const std::vector<std::vector<std::int64_t>>& axis_lists_to_rank(std::size_t most, AxisForm form);

}  // namespace vouch
