// Invariants. A broken one is a fault of ours, never the user's: it ends the process with exit code 4.
#pragma once

#include <source_location>
#include <string_view>

namespace vouch {

// Prints `internal fault: what` with its place and ends the process with exit code 4.
[[noreturn]] void fault(std::string_view what,
                        std::source_location where = std::source_location::current());

// States an invariant; on in every build.
inline void ensure(bool holds, std::string_view what,
                   std::source_location where = std::source_location::current()) {
  if (!holds) [[unlikely]] {
    fault(what, where);
  }
}

}  // namespace vouch
