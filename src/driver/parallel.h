// Work on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace vouch {

// Calls `work` with each number below `count`, on at most `jobs` threads.
template <class F>
void for_all(std::size_t count, unsigned jobs, const F& work) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::min<std::size_t>(std::max(1U, jobs), count); ++i) {
    threads.emplace_back([&] {
      for (std::size_t at = next++; at < count; at = next++) {
        work(at);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

}  // namespace vouch
