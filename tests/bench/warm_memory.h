// Memory that the process already has, in huge pages. A fresh page costs a virtual machine microseconds, more than the work on
// all the nodes in it, and finding small pages again costs it more than the caches do; only large graphs notice either. So all
// sizes, ours and a peer's, are measured on pages that were touched before, of 2 MiB where the kernel gives them.
#pragma once

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace vouch::bench {

inline void keep_memory_warm() {
  constexpr std::size_t kBytes = std::size_t{2} << 30;
  constexpr std::size_t kPart = std::size_t{1} << 20;
  mallopt(M_MMAP_MAX, 0);                                // all of it from one heap,
  mallopt(M_TRIM_THRESHOLD, -1);                         // which never shrinks
  mallopt(M_TOP_PAD, static_cast<int>(kBytes - kPart));  // which grows once
  std::vector<void*> parts;
  parts.push_back(std::malloc(kPart));
  constexpr std::uintptr_t kHuge = std::uintptr_t{2} << 20;
  std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(parts[0]) + kHuge - 1) / kHuge * kHuge;
  madvise(reinterpret_cast<void*>(begin), reinterpret_cast<std::uintptr_t>(sbrk(0)) - begin, MADV_HUGEPAGE);
  for (std::size_t got = 0; got < kBytes; got += kPart) {
    parts.push_back(std::malloc(kPart));
    std::memset(parts.back(), 1, kPart);
  }
  for (void* part : parts) {
    std::free(part);
  }
}

}  // namespace vouch::bench
