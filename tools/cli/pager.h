// Shows long output a page at a time, for the help and the command `inspect`. While a Pager lives,
// standard output goes to the program that PAGER names, or to `less` if PAGER is not set. Nothing
// changes if standard output is not a terminal, or if PAGER is empty or "cat".
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

  // Whether a pager is open.
  static bool IsOpen();
  // The status of a write after the reader has left the pager, which is not a failure of the
  // command.
  static Status Closed();
  static bool IsClosed(const Status& status);

 private:
  pid_t process_ = -1;
  int output_ = -1;  // The original standard output.
};

}  // namespace kernelmill
