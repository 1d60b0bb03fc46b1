// Rules as text; `parse_rules` reads them back to a rule that prints the same.
#pragma once

#include <string>

#include "rule/ast.h"

namespace vouch {

std::string print_rule(const Rule& rule);
std::string print_attr(const Rule& rule, AttrId attr);
// One line; patterns with a name are shown by it, except `pattern` itself.
std::string print_pattern(const Rule& rule, PatternId pattern);

}  // namespace vouch
