// Memory that the process already has. A fresh page costs a virtual machine microseconds, more than the work on all the nodes in
// it, and only large graphs need fresh pages: so all sizes, ours and a peer's, are measured on pages that were touched before.
#pragma once

#include <malloc.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace vouch::bench {

inline void keep_memory_warm() {
  constexpr std::size_t kBytes = std::size_t{2} << 30;
  constexpr std::size_t kPart = std::size_t{1} << 20;
  mallopt(M_MMAP_MAX, 0);         // all of it from one heap,
  mallopt(M_TRIM_THRESHOLD, -1);  // which never shrinks
  std::vector<void*> parts;
  for (std::size_t got = 0; got < kBytes; got += kPart) {
    parts.push_back(std::malloc(kPart));
    std::memset(parts.back(), 1, kPart);
  }
  for (void* part : parts) {
    std::free(part);
  }
}

}  // namespace vouch::bench
