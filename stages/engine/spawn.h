// Starts other programs isolated from this process: bubblewrap (the torch worker and the compilers
// run in it), git, and the confined child. Whoever needs such a child calls it and waits for its
// end.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "manifests/status.h"

namespace kernelmill {

// Descriptors for standard input, output and error. A negative one stands for /dev/null.
struct ChildStreams {
  int input = -1;
  int output = -1;
  int errors = -1;
};

// Runs `command` as the leader of its own process group, with no signal blocked or ignored, without
// other descriptors than the three, and without other environment variables than `environment`
// ("NAME=value"). The first word of `command` is a path, or a name that is looked up in this
// process's PATH. The caller must wait for the child. If the program cannot be started, the error's
// code follows from errno: kIo, kNotFound and so on.
Result<pid_t> SpawnApart(const std::vector<std::string>& command, const ChildStreams& streams,
                         const std::vector<std::string>& environment = {});

// Waits until `child` has ended and returns its wait status (waitpid(2)).
int WaitForEnd(pid_t child);

// Whether a process does not cause `signal` itself: SIGKILL of the kernel's out-of-memory killer,
// SIGTERM of an administrator. An end by such a signal says nothing about what the process worked
// on, unless this program or a limit of ours sent it.
bool ComesFromOutside(int signal);
// Whether such a signal ended the process with this wait status.
bool WasKilled(int status);

// The processor time that `process` and its descendants have used so far.
std::chrono::milliseconds ProcessorTimeBelow(pid_t process);

}  // namespace kernelmill
