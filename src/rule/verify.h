// Static checks of a rule (section 4.4 of the thesis), before anything runs.
#pragma once

#include "rule/ast.h"
#include "support/diagnostic.h"

namespace vouch {

// True if the rule can be run. Checked: operand counts, attribute names and types; every attribute expression uses only
// patterns that are matched before it (matching order is reverse post-order); the target creates no input; outputs
// correspond one to one; the source is connected (eq:src_connect); each template is reached by its variadic; a variadic
// of the target says its length, one of the source does not; first instances match templates in number.
bool verify_rule(const Rule& rule, Diagnostics& diagnostics);

}  // namespace vouch
