// One call of an operator, given on the command line, as a kernel in index notation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "notation/tk_kernel.h"
#include "support/diagnostic.h"

namespace vouch {

struct OperatorCall {
  std::string op;                       // as the operator table calls it
  std::vector<std::string> operands;    // `2,3,5`: the sizes of float32 operands, in order
  std::vector<std::string> attributes;  // `axis=1`, `strides=2,2`, `auto_pad=VALID`
};

// Every input is a target. Errors: an unknown operator or attribute, an ill-typed call, what index notation does not have.
std::optional<TkKernel> operator_kernel(const OperatorCall& call, Diagnostics& diagnostics);

}  // namespace vouch
