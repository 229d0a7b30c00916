// Seccomp filters that the kernel checks each system call of a confined process against, built from
// system_call_table.h. The untrusted child installs its own; the torch worker's forks are sent
// theirs.
#pragma once

#include <string>

#include "manifests/status.h"
#include "stages/untrusted/system_call_table.h"

namespace kernelmill {

// Confines all threads of this process to the calls of ConfinedProcess::kParser, for good. The
// caller must have set PR_SET_NO_NEW_PRIVS. kSandbox if the kernel has no seccomp filters.
Status InstallSystemCallFilter();

// The filter as the kernel takes it (an array of struct sock_filter), for a process that installs
// it by itself. kSandbox when the filter cannot be built.
Result<std::string> SystemCallFilterOf(ConfinedProcess process);

}  // namespace kernelmill
