// The text form of GSL (`…,` is a list with commas; quoted marks stand for themselves):
//
//   file      ::= rule*
//   rule      ::= "rule" NAME TEXT? "{" item* "}"                    NAME: letters, digits, `_`, joined by `-`
//   item      ::= "let" NAME "=" pattern ";"
//               | "attr" NAME "=" attr ";"                          a named attribute expression, evaluated once
//               | "operator" NAME ("any" | "elementwise" | "commutative") ";"      an operator variable
//               | "variadic" NAME "[" NAME ("<" attr)? "]" ("from" (pattern | "_") …,)? ("min" INT)? "{" inner* field "}"
//               | "source" pattern …, ";" | "target" pattern …, ";" | "where" attr …, ";"
//               | "drop" NAME …, ";"                                inputs that the target leaves out
//               | "rank" NAME INT (".." INT)? ";"
//               | "axes" (NAME "=" "(" (NAME (INT (".." INT?)?)?) …, ","? ")") …, ";"     roles of axes, first to last
//               | "expect" ("sound" ("exact" | "real")? | "unsound" | "ill_typed" | "vacuous" | "unknown") ";"
//   inner     ::= let | attr | where | drop | variadic              of the items above
//   field     ::= "yield"? pattern ";"?                             `from` names a first instance for it, then for each let
//   pattern   ::= sum of products of unaries; `+ - * /` and unary `-` mean Add, Sub, Mul, Div, Neg
//   primary   ::= "*" attrs? | "const" attrs? | "variable" attrs? | NUMBER | "inf" | NAME
//               | OPERATOR "(" (pattern | "_") …, ")" attrs?        `_`: an absent optional operand; `maximum(x, y)` too
//               | "(" pattern ")" | "(" pattern …, ","? ")"         a tuple; of one item `(p,)`
//               | "variadic" "[" NAME ("<" attr)? "]" ("min" INT)? "{" inner* field "}"
//               | "first" "(" pattern …, ")"                        alternatives, the first that matches
//               | "if" "(" attr ")" pattern "else" pattern
//               | primary "[" attr "]"                              projection; of a variadic its branch
//               | primary "." NAME                                  after a branch: a template of it
//   attrs     ::= "{" (NAME "=" (attr | "_") | NAME …, "as" pattern | "*" "as" pattern) …, "}"
//   attr      ::= operators, loosest first: or; and; not; == != < <= > >=; + - ++; * / // %; unary -
//   operand   ::= NUMBER | "inf" | TEXT | dtype | "true" | "false" | "any" | NAME | "(" attr ")" | "(" attr …, ","? ")"
//               | pattern "." NAME                                  access, see AttrExpr in rule/ast.h; the axes of a role
//               | operand "[" attr "]" | operand "[" attr? ":" attr "]"
//               | ("tuple" | "sum" | "product" | "minimum" | "maximum" | "all" | "exists") "[" binder "]" "(" attr ")"
//               | "all" "[" NAME "in" NAME "]" "(" attr ")"          of every element of a constant
//               | ("min" | "max" | "divides" | "permute") "(" attr "," attr ")"
//               | ("len" | "abs" | "ceil" | "floor" | "sqrt") "(" attr ")"
//               | "if" "(" attr ")" attr "else" attr
//   binder    ::= NAME "<" attr | NAME "<=" attr | NAME             the last for `tuple` where it is matched only
//
// `where a = b` also reads as `a == b`. `all[…](c)` is `product[…](c)`, `exists[…](c)` is `sum[…](c) > 0`, `t[a:b]` is
// `tuple[k < b - a](t[k + a])`. Names are defined before they are used and not redefined while they can be seen.
#pragma once

#include <optional>
#include <vector>

#include "rule/ast.h"
#include "support/diagnostic.h"

namespace vouch {

// All rules of a file, verified and finished; nothing if there was an error. Every error of the file is reported in one
// run: after one, reading goes on at the next item.
std::optional<std::vector<Rule>> parse_rules(const SourceRef& source, Diagnostics& diagnostics);

// The rules of a file that have no error; what is wrong with the others is reported.
std::vector<Rule> parse_good_rules(const SourceRef& source, Diagnostics& diagnostics);

// Words that name nothing else in a rule.
bool is_reserved_word(std::string_view word);

}  // namespace vouch
