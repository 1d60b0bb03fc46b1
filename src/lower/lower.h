// Lowering the array language to the imperative one, and that to flat programs. Mirrors coq/lower/Lower.v and Flatten.v,
// rule by rule; the certificate runs those and compares the printed texts.
#pragma once

#include "array/program.h"
#include "imp/ast.h"
#include "imp/flat.h"

namespace vouch::array {

// Inputs are variables 0 .. r-1, the output is variable r. The program must be well typed (`verify_program`).
Comm lower(const Program& program);

// Layouts, pairs and paths become index arithmetic.
Flat flatten(const Program& program, const Comm& comm);

// What a program becomes: lowered, flattened, its index terms simplified, its loops bounded.
Flat flat_program(const Program& program);

}  // namespace vouch::array
