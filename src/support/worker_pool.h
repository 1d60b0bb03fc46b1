// Work shared out between threads.
#pragma once

#include <cstdint>
#include <functional>

namespace vouch {

// Calls `work(begin, end)` on disjoint ranges that cover 0 .. count, on up to `threads` threads (one of them the
// caller's), and returns when all are done. With one thread, or one item, it is one plain call. The ranges depend on
// `count` and `threads` alone. `work` must not throw; calls may be nested: the inner ones run on the caller's thread.
void parallel_ranges(std::int64_t count, int threads,
                     const std::function<void(std::int64_t begin, std::int64_t end)>& work);

}  // namespace vouch
