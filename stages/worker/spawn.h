// Starts a program apart from this one: what a sandbox is entered by.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "manifests/status.h"

namespace kernelmill {

// Descriptors for standard input, output and error; /dev/null where one is negative.
struct ChildStreams {
  int input = -1;
  int output = -1;
  int errors = -1;
};

// Runs `command` (the first word is a path) as the leader of a process group of its own, with an
// empty environment, no signal blocked or ignored, and no descriptor but the three.
Result<pid_t> SpawnApart(const std::vector<std::string>& command, const ChildStreams& streams);

// Its wait status, once it has ended.
int WaitForEnd(pid_t child);

}  // namespace kernelmill
