// Shows on standard error that work without a progress count is running, such as a `verify` of one
// answer: on a terminal as a line with the elapsed seconds, in a log as one line if the work takes
// long.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace kernelmill {

class Waiting {
 public:
  // `what` describes the work: "verify: judging answer.py".
  explicit Waiting(const std::string& what);
  // Removes the line.
  ~Waiting();
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  void Show();

  const std::string what_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_over_ = false;
  std::thread thread_;  // Must be the last member, because it uses the others.
};

}  // namespace kernelmill
