// What git shows of its HTTP requests under GIT_TRACE_CURL: the status of the last response, and
// how long the server asks to wait. RunGit() (git_process.h) gives it each line of git's standard
// error.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace kernelmill {

class CurlTrace {
 public:
  // True for a line of the trace, which is no message of git's then. A remote cannot make one: what
  // it says stands behind "remote: ".
  bool Take(std::string_view line);

  // Of the last response; 0 before the first.
  int status() const { return status_; }
  // What the last response asks for by Retry-After, as seconds or as a date (RFC 9110).
  std::optional<std::chrono::seconds> retry_after() const { return retry_after_; }

 private:
  void TakeHeader(std::string_view header);

  int status_ = 0;
  std::optional<std::chrono::seconds> retry_after_;
};

}  // namespace kernelmill
