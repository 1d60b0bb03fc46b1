// Imperative programs as Coq terms, as coq/imp/Syntax.v declares them.
#pragma once

#include <string>

#include "imp/ast.h"
#include "lower/path.h"

namespace vouch::array {

std::string coq_step(const Step& step);
std::string coq_acceptor(const Acceptor& acceptor);
std::string coq_view(const View& view);
// A list of `sstep`, of coq/lower/Flatten.v.
std::string coq_path(const Path& path);
// The constructor with its arguments that are no commands.
std::string coq_command_head(const Comm& command);
std::string coq_command(const Comm& command);

}  // namespace vouch::array
