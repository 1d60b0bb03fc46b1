// Standard input, output and errors: they are there, and what cannot be written is told.
#pragma once

#include "driver/exit_code.h"

namespace vouch {

// For the start of a program: descriptors that were closed lead to /dev/null, so that no file is opened in their place; a reader
// that goes away is an error of writing, and no signal. False, and told, if standard output was closed: what a command finds
// would be lost, and it would end as if all were well.
bool prepare_streams();

// Shows what was printed so far. Throws std::system_error if it cannot be written.
void flush_output();

// The exit code of a program that ends with `code`: where standard output cannot be written, that is told, and what would have
// been success is bad input. Where its reader went away, the process ends by SIGPIPE, as one expects of `vouch … | head`.
// `error` is the reason (errno) where it is known from before.
int end_output(ExitCode code, int error = 0);

}  // namespace vouch
