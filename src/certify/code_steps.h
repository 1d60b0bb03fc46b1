// The second half of a derivation: from a command of the imperative language to C text by the paper's rules cgc, cga and
// cge, each application an equation that Coq checks.
#pragma once

#include <string>

#include "imp/ast.h"
#include "imp/print_c.h"

namespace vouch::array {

struct CodeSteps {
  std::string text;          // Coq: definitions and lemmas
  std::string last_command;  // what was translated, convertible to `command`
  std::string last_lemma;    // codeC environment 1 last_command = last_text
  std::string last_text;
};

// `types` of the variables that `names` names; the Coq names `environment` and `names_of` stand for both.
CodeSteps code_steps(const Comm& command, const CNames& names, const std::vector<Type>& types, const std::string& environment,
                     const std::string& names_of);

// What the steps speak of: codeC, codeA and codeE of a command, an acceptor, a view.
std::string_view code_steps_preamble();

}  // namespace vouch::array
