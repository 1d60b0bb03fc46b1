#include "support/worker_pool.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace vouch {
namespace {

thread_local bool inside_work = false;

// Threads are started when first wanted, kept, and joined when the process ends.
class WorkerPool {
 public:
  static WorkerPool& shared() {
    static WorkerPool pool;
    return pool;
  }

  ~WorkerPool() {
    {
      std::lock_guard lock(mutex_);
      ending_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) {
      thread.join();
    }
  }

  void submit(std::function<void()> task) {
    {
      std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
      if (waiting_ < tasks_.size()) {
        threads_.emplace_back([this] { serve(); });
      }
    }
    wake_.notify_one();
  }

 private:
  void serve() {
    inside_work = true;
    std::unique_lock lock(mutex_);
    for (;;) {
      ++waiting_;
      wake_.wait(lock, [this] { return ending_ || !tasks_.empty(); });
      --waiting_;
      if (tasks_.empty()) {
        return;
      }
      std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  std::size_t waiting_ = 0;
  bool ending_ = false;
};

}  // namespace

void parallel_ranges(std::int64_t count, int threads,
                     const std::function<void(std::int64_t begin, std::int64_t end)>& work) {
  constexpr std::int64_t kMostThreads = 256;
  std::int64_t parts = inside_work ? 1 : std::min({count, static_cast<std::int64_t>(threads), kMostThreads});
  if (parts <= 1) {
    if (count > 0) {
      work(0, count);
    }
    return;
  }
  std::mutex mutex;
  std::condition_variable done;
  std::int64_t open = parts - 1;
  for (std::int64_t part = 1; part < parts; ++part) {
    WorkerPool::shared().submit([&, part] {
      work(count * part / parts, count * (part + 1) / parts);
      std::lock_guard lock(mutex);
      --open;
      done.notify_one();
    });
  }
  inside_work = true;
  work(0, count / parts);
  inside_work = false;
  std::unique_lock lock(mutex);
  done.wait(lock, [&] { return open == 0; });
}

}  // namespace vouch
