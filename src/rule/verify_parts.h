// The parts of verify_rule; only verify*.cpp include this.
#pragma once

#include "rule/report.h"
#include "rule/verify.h"

namespace vouch {

// Source and target as graphs: outputs, connection, inputs, templates, ranks.
void verify_structure(const Rule& rule, const Unreadable& unreadable, RuleReport& report);

// What attribute expressions and operands may refer to, and when.
void verify_references(const Rule& rule, const Unreadable& unreadable, RuleReport& report);

// Roles of axes: ranges, and to which tensors they are given.
void verify_axes(const Rule& rule, const Unreadable& unreadable, RuleReport& report);

// Per pattern, whether it is a placeholder.
std::vector<bool> placeholders(const Rule& rule, const Unreadable& unreadable);

}  // namespace vouch
