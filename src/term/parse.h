// Reads the text form of terms: `parse_term(print_term(t)) == t`.
//
//   or      := and { "or" and }              and     := not { "and" not }          not := "not" not | compare
//   compare := sum { ("<" | "<=" | ">" | ">=" | "==" | "!=") sum }                 (a chain is a conjunction)
//   sum     := product { ("+" | "-") product }
//   product := unary { ("*" | "/" | "//" | "%") unary }
//   unary   := "-" unary | reduction | "real" name | atom
//   reduction := ("sum" | "prod" | "maximum" | "minimum") "(" name "<" sum { "," name "<" sum } ["where" or] ")" unary
//   atom    := integer | decimal | name | name "[" [or { "," or }] "]" | function "(" or { "," or } ")" | "(" or ")"
//
// An integer operand of a scalar operation is read as a scalar; `1/2` of two integer constants is one constant.
// `min`, `max`, `select` take integers or scalars; names that are no identifiers stand between backquotes.
#pragma once

#include <optional>

#include "support/diagnostic.h"
#include "support/source.h"
#include "term/term.h"

namespace vouch {

// The term that the whole source is. Terms deeper than 1000 and products that expand to more than 10,000 monomials
// are refused.
std::optional<Term> parse_term(SourceRef source, Diagnostics& diagnostics);

}  // namespace vouch
