// Numbers of attribute expressions: terms, which happen to be constant where a graph is rewritten. A truth value is 0 or 1, or a
// guard where the terms leave it open; a number where a truth value is wanted is `!= 0`. A constant of sort Int is an integer,
// one of sort Real any rational; both are exact, whatever their size.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "rule/ast.h"

namespace vouch {

// What an operation gives.
struct NumberResult {
  enum class Kind : std::uint8_t {
    Number,
    None,            // no value, whatever the open terms stand for: division by zero, a root of a negative number
    NotExpressible,  // there may be a value, but no term says which
  };
  Kind kind = Kind::None;
  Term number;
  std::string_view what = {};        // is not expressible
  std::optional<Term> divisor = {};  // open: the number is meant only where this is at least 1
};

NumberResult unary_number(UnaryOp op, Term a);            // all but Length
NumberResult binary_number(BinaryOp op, Term a, Term b);  // arithmetic, comparisons, `divides`
Term numbers_equal(Term a, Term b);                       // a guard
Term as_guard(Term number);                               // of any sort
Term as_number(Term truth);                               // a guard as 0 or 1; numbers as they are

// Where two values are equal: false if they are of different kinds or lengths.
Term values_equal(const AttrValue& a, const AttrValue& b);

}  // namespace vouch
