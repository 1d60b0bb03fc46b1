// What a thread interned last, one thing for each slot that hashes fall into: most are asked for again and again, and found here
// without a lock and without a walk through a table that threads share.
#pragma once

#include <array>
#include <cstddef>

namespace vouch {

// Of interned things, which live for ever. Null where nothing was put yet.
template <class T, unsigned kLog>
const T*& recent(std::size_t hash) {
  thread_local constinit std::array<const T*, std::size_t{1} << kLog> slots{};
  return slots[(hash * 0x9e3779b97f4a7c15ULL) >> (64 - kLog)];
}

}  // namespace vouch
