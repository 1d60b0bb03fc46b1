// The text form of GSL.
//
//   file     ::= rule*
//   rule     ::= "rule" NAME TEXT? "{" item* "}"
//   item     ::= "let" NAME "=" pattern ";"
//              | "variadic" NAME "[" NAME "]" ("from" NAME ("," NAME)*)? ("min" NUMBER)? "{" item* "yield" pattern ";" "}"
//              | "operator" NAME TRAIT ";"                     an operator variable; TRAIT: any, elementwise, commutative
//              | "source" pattern ("," pattern)* ";" | "target" pattern ("," pattern)* ";"
//              | "where" attr ";" | "rank" NAME NUMBER (".." NUMBER)? ";" | "expect" ("sound" | "unsound" | "ill_typed") ";"
//   pattern  ::= sum of products of unaries; `+ - * /` and unary `-` mean Add, Sub, Mul, Div, Neg
//   primary  ::= "*" | ("const" | "variable") attrs? | OPERATOR "(" patterns? ")" attrs? | NAME | "(" pattern "," patterns ")"
//              | NAME "[" attr "]" "." NAME                    an instance of a template of a variadic
//              | "variadic" "[" NAME "<" attr "]" "{" pattern "}"
//              | "first" "(" patterns ")"                      alternatives, the first that matches
//              | "if" "(" attr ")" pattern "else" pattern      conditional
//              | NUMBER                                        a constant
//              | primary "[" attr "]"                          projection
//   attrs    ::= "{" (NAME "=" attr | NAME ("," NAME)* "as" NAME) ("," …)* "}"
//   attr     ::= or / and / not / comparison / sum / product / unary over
//              | NUMBER | TEXT | "true" | "false" | "any" | "(" attr "," … ")" | "(" attr ")" | NAME (a symbol)
//              | pattern-reference "." NAME                    access; `rank`, `shape`, `dtype`, `length` of every pattern
//              | "tuple" "[" NAME "<" attr "]" "(" attr ")" | ("sum"|"product"|"minimum"|"maximum") "[" NAME "<" attr "]" "(" attr ")"
//              | ("min"|"max"|"divides"|"permute") "(" attr "," attr ")" | ("len"|"abs"|"ceil"|"floor"|"sqrt") "(" attr ")"
//              | "if" "(" attr ")" attr "else" attr | attr "[" attr "]"
// Positions count from 0; `[k <= j]` runs to j inclusive.
#pragma once

#include <optional>
#include <vector>

#include "rule/ast.h"
#include "support/diagnostic.h"

namespace vouch {

// All rules of a file, verified; nothing if there was an error. Every error of the file is reported in one run.
std::optional<std::vector<Rule>> parse_rules(const SourceRef& source, Diagnostics& diagnostics);

}  // namespace vouch
