// Shows long output a page at a time. While a Pager lives, standard output goes to the program that
// PAGER names, or to `less` where PAGER is not set. Only on a terminal; otherwise, and when PAGER
// is empty or "cat", nothing changes.
#pragma once

#include <sys/types.h>

#include "manifests/status.h"

namespace kernelmill {

class Pager {
 public:
  explicit Pager(bool wanted);
  // Waits until the reader leaves the pager.
  ~Pager();
  Pager(const Pager&) = delete;
  Pager& operator=(const Pager&) = delete;

  // Whether one lives.
  static bool IsOpen();
  // What a write ends with when the reader has left: not a failure of the command.
  static Status Closed();
  static bool IsClosed(const Status& status);

 private:
  pid_t process_ = -1;
  int output_ = -1;  // Standard output as it was.
};

}  // namespace kernelmill
