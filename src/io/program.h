// Which program this is: what it found is kept under this name, and is nothing to another program.
#pragma once

#include <string>

namespace vouch {

// The build id of the executable or library that this is linked into (a hash of its contents, which the linker wrote), otherwise
// a hash of the executable's bytes. Empty if there is neither.
std::string program_identity();

}  // namespace vouch
