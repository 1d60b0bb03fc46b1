// The translation of a kernel as a sequence of rule applications, each an equation that Coq checks: the first step of the
// paper's walk-through of the inner product, for any kernel.
//
// A(e)(a) fills the acceptor a; C(e)(c) passes a view of e to the continuation c. Each step replaces the leftmost call that
// is not under a continuation. Rules carry the paper's numbers, those it does not have the name of their construct.
#pragma once

#include <string>

#include "array/program.h"

namespace vouch::array {

// A Coq file: `state_0` is A of the whole term, the last state has no call left, `translated` says that they are equal,
// `printed` how the last one prints, and `simplified` that with simplified index terms it prints as the C text.
std::string print_derivation(const Program& program, const std::string& origin);

// The theorem that the derivation, compiled as module `module`, leads to the C text that is called `text` in Coq.
std::string derivation_check(const std::string& theorem, const std::string& module, const std::string& text);

}  // namespace vouch::array
