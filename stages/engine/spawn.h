// Starts another program, isolated from this process: bubblewrap, git, the confined parser.
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

// Runs `command` as the leader of a process group of its own, with no signal blocked or ignored, no
// descriptor but the three, and no variables but `environment` ("NAME=value"). The first word of
// `command` is a path, or a name that this process's PATH finds. The caller waits for the child.
// kIo, kNotFound … by errno when it cannot be started.
Result<pid_t> SpawnApart(const std::vector<std::string>& command, const ChildStreams& streams,
                         const std::vector<std::string>& environment = {});

// Waits until `child` has ended and returns its wait status (waitpid(2)).
int WaitForEnd(pid_t child);

}  // namespace kernelmill
