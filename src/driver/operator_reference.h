// `vouch ops`: the operator table for people, one line each, or as Markdown with attributes, defaults and formulas.
#pragma once

#include <string>

#include "driver/exit_code.h"

namespace vouch {

struct OpsCommand {
  std::string name;  // this operator alone; empty: all
  bool markdown = false;
};
ExitCode list_operators(const OpsCommand& command);

struct OpDef;
// `Conv(x, w, b?) {strides, pads, …}`
std::string operator_signature(const OpDef& def);
// Operands, attributes with types and defaults, and the formula at small sizes where it has one: Markdown.
std::string operator_page(const OpDef& def);

}  // namespace vouch
