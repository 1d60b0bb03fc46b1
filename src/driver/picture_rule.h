// A rule as Graphviz text: its two sides next to each other.
#pragma once

#include <string>

#include "rule/ast.h"

namespace vouch {

// What both sides use has one colour on both. A variadic is a dashed frame around its templates, headed by its name, index
// and length; conditions stand below the source.
std::string picture_of_rule(const Rule& rule);

}  // namespace vouch
