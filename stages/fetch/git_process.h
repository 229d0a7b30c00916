// One run of the git program.
#pragma once

#include <string>
#include <vector>

#include "manifests/status.h"

namespace kernelmill {

struct GitEnd {
  int exit_code = 0;     // -1 when a signal ended it.
  bool late = false;     // It was stopped after half an hour.
  std::string messages;  // The end of what it wrote to standard error, whole lines.

  bool ok() const { return exit_code == 0 && !late; }
  // True when a line of git's own, none that it passes on from a remote, has `words`.
  bool Says(std::string_view words) const;
};

// Runs git to its end, without prompts and without the configuration of user and system. Standard
// output is dropped. kInterrupted as soon as the run is asked to stop, git having ended; kIo when
// there is no git.
Result<GitEnd> RunGit(std::vector<std::string> arguments);

}  // namespace kernelmill
