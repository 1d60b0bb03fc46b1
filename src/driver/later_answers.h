// Answers that take long, given one after the other on a thread of their own, so that what is asked meanwhile does not wait.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace vouch {

class LaterAnswers {
 public:
  LaterAnswers();
  // Waits for the one that is being given; what was not begun is left out.
  ~LaterAnswers();
  LaterAnswers(const LaterAnswers&) = delete;
  LaterAnswers& operator=(const LaterAnswers&) = delete;

  void add(std::string id, std::function<void()> answer);
  // Whether it was still to be given, and now is not.
  bool drop(const std::string& id);
  // Leaves out what was not begun. Is one being given?
  bool drop_all();

 private:
  struct Answer {
    std::string id;
    std::function<void()> give;
  };
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Answer> waiting_;
  bool giving_ = false;
  bool ends_ = false;
  std::thread thread_;  // the last: it uses the others
};

}  // namespace vouch
