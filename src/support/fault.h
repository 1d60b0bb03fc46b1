// Invariants. A broken one is a fault of ours, never the user's: it ends the process with exit code 4.
#pragma once

#include <string_view>

namespace vouch {

// A place in our sources; a default argument gives that of the caller. (clang 14 has no std::source_location.)
struct CodePlace {
  const char* file = nullptr;
  unsigned line = 0;
  static constexpr CodePlace current(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
    return {file, line};
  }
};

// Prints `internal fault: what` with its place and ends the process with exit code 4.
[[noreturn]] void fault(std::string_view what, CodePlace where = CodePlace::current());

// States an invariant; on in every build.
inline void ensure(bool holds, std::string_view what, CodePlace where = CodePlace::current()) {
  if (!holds) [[unlikely]] {
    fault(what, where);
  }
}

}  // namespace vouch
