// Work on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace vouch {

// As many as asked for; 0: as many as there are processors.
inline unsigned jobs_for(unsigned asked) { return asked != 0 ? asked : std::max(1U, std::thread::hardware_concurrency()); }

// Calls `work` with each number below `count`, in order, on at most `jobs` threads, this one among them. What `work` throws
// first is thrown here, once all threads have ended; the numbers that nobody has begun are then left out.
template <class F>
void for_all(std::size_t count, unsigned jobs, const F& work) {
  std::atomic<std::size_t> next = 0;
  std::mutex failing;
  std::exception_ptr failure;
  auto run = [&] {
    try {
      for (std::size_t at = next++; at < count; at = next++) {
        work(at);
      }
    } catch (...) {
      std::lock_guard lock(failing);
      failure = failure ? failure : std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> others;
  try {
    for (unsigned i = 1; i < std::min<std::size_t>(std::max(1U, jobs), count); ++i) {
      others.emplace_back(run);
    }
  } catch (const std::system_error&) {
    // No more threads can be had: those that there are do the work.
  }
  run();
  for (std::thread& thread : others) {
    thread.join();
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
}

}  // namespace vouch
