// Runs the git program in isolation and waits for it. Called by FetchBare() (git_program.h) for
// each command of a fetch; nothing else runs git.
#pragma once

#include <string>
#include <vector>

#include "manifests/status.h"

namespace kernelmill {

struct GitEnd {
  int exit_code = 0;     // -1 when a signal ended it.
  bool late = false;     // It was stopped after 30 minutes.
  std::string messages;  // The last whole lines of its standard error.

  bool ok() const { return exit_code == 0 && !late; }
  // Whether a line by git itself contains `words`; lines that it forwards from a remote do not
  // count.
  bool Says(std::string_view words) const;
};

// Runs git and waits for its end, without prompts and without the configuration of user and system.
// Drops its standard output. kInterrupted when the run is asked to stop, after git has ended; kIo
// when git cannot be started.
Result<GitEnd> RunGit(std::vector<std::string> arguments);

}  // namespace kernelmill
