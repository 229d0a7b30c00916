// Runs the git program in isolation and waits for it. Called by git_program.h; nothing else runs
// git.
#pragma once

#include <string>
#include <vector>

#include "manifests/status.h"
#include "stages/fetch/curl_trace.h"

namespace kernelmill {

struct GitEnd {
  int exit_code = 0;     // -1 when a signal ended it.
  bool late = false;     // It was stopped after 30 minutes.
  std::string messages;  // The last whole lines of its standard error, without the trace.
  CurlTrace http;        // Its last HTTP response.

  bool ok() const { return exit_code == 0 && !late; }
  // Whether a line by git itself contains `words`; lines that it forwards from a remote do not
  // count.
  bool Says(std::string_view words) const;
};

// Runs git and waits for its end, without prompts and without the configuration of user and system.
// Drops its standard output. Several threads may call it. kInterrupted when the run is asked to
// stop, after git has ended; kEnvironment when git cannot be started.
Result<GitEnd> RunGit(std::vector<std::string> arguments);

}  // namespace kernelmill
