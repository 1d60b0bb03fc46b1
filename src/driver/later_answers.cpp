#include "driver/later_answers.h"

#include <algorithm>

namespace vouch {

LaterAnswers::LaterAnswers() : thread_([this] { run(); }) {}

LaterAnswers::~LaterAnswers() {
  {
    std::lock_guard lock(mutex_);
    waiting_.clear();
    ends_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void LaterAnswers::add(std::string id, std::function<void()> answer) {
  {
    std::lock_guard lock(mutex_);
    waiting_.push_back({std::move(id), std::move(answer)});
  }
  changed_.notify_one();
}

bool LaterAnswers::drop(const std::string& id) {
  std::lock_guard lock(mutex_);
  return std::erase_if(waiting_, [&](const Answer& answer) { return answer.id == id; }) != 0;
}

bool LaterAnswers::drop_all() {
  std::lock_guard lock(mutex_);
  waiting_.clear();
  return giving_;
}

void LaterAnswers::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
    if (ends_) {
      return;
    }
    std::function<void()> give = std::move(waiting_.front().give);
    waiting_.pop_front();
    giving_ = true;
    lock.unlock();
    give();
    lock.lock();
    giving_ = false;
  }
}

}  // namespace vouch
