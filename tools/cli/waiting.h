// Shows that work without counts goes on: on a terminal a line with the seconds so far, in a log one
// line when the work takes long. Writes to standard error.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace kernelmill {

class Waiting {
 public:
  // `what` is being done: "verify: judging answer.py".
  explicit Waiting(const std::string& what);
  // Takes the line back.
  ~Waiting();
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  void Show();

  const std::string what_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_over_ = false;
  std::thread thread_;  // The last member: it uses the others.
};

}  // namespace kernelmill
