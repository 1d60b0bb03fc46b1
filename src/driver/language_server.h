// `vouch lsp`: a language server for .gsl, .tk and .fun on standard input and output (Language Server Protocol 3.17 over
// JSON-RPC 2.0).
//
// Diagnostics as one types, with the messages that the command prints; hover: an operator's operands, attributes and formula;
// completion; go to definition within a file; each rule's verdict as a lens; formatting.
#pragma once

#include <istream>
#include <ostream>

#include "driver/exit_code.h"

namespace vouch {

// Serves until `exit` or the end of the input: Ok after `shutdown`, else Refuted, as the protocol has it.
ExitCode serve_language(std::istream& in, std::ostream& out);

}  // namespace vouch
