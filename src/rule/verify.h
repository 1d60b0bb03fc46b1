// Static checks of a rule (section 4.4 of the thesis), before anything runs. Each failure is reported at its place in
// the rule's text, or by the rule's name if it has none, with a hint where one helps.
//
// Form, per node (verify_form.cpp): the operator takes that many operands, and tensors or tuples as it wants;
// attributes exist, are given once, and have the right type as far as it shows; required attributes are there in the
// target; a projection is of a tuple; an access asks for what the pattern has; nothing is too deep or too large.
// Context, per rule (verify_context.cpp): the rule has a source and a target; outputs correspond one to one; no output
// of the source is an input or comes twice; the source is connected (eq:src_connect); the target creates no input, and
// leaves out only those it drops; symbols are used under their binder; every pattern that an attribute expression
// accesses is matched before it is needed, in reverse post-order; templates are reached, belong to one variadic, and
// are accessed from inside it or through an instance; an instance exists; a variadic of the target has a length; `any`
// stands only where it is matched; every named pattern is used.
#pragma once

#include <optional>
#include <vector>

#include "rule/ast.h"
#include "support/diagnostic.h"

namespace vouch {

// What the reader of a rule could not make sense of and has reported; the checks do not report it again.
struct Unreadable {
  std::vector<PatternId> patterns;  // placeholders
  bool any = false;                 // these, or something else: a part of the rule is missing
};

// True if every check holds. The rule must be finished (`finish_rule`).
bool verify_rule(const Rule& rule, const Unreadable& unreadable, Diagnostics& diagnostics);
bool verify_rule(const Rule& rule, Diagnostics& diagnostics);

// The checks on the form of one node, for those who want them at construction. `in_target`: it is created.
bool verify_pattern_form(const Rule& rule, PatternId pattern, bool in_target, Diagnostics& diagnostics);
bool verify_attr_form(const Rule& rule, AttrId attr, Diagnostics& diagnostics);

// The operator of that name, or a message with the nearest name.
std::optional<OpId> resolve_op(std::string_view name, const SourceRef& text, Span span, Diagnostics& diagnostics);

}  // namespace vouch
