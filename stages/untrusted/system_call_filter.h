// The system calls that are left to a process which reads untrusted bytes.
#pragma once

#include "manifests/status.h"

namespace kernelmill {

// From here on this process reads files, answers on the descriptors it has, and has memory; nothing
// else. Opening for writing, new sockets, processes and signals, executable memory and raised
// limits (but for processor time, which each request sets anew) fail with EPERM, and so does any
// call that is not known; running a program, tracing, mounting and their like end the process with
// SIGSYS. Needs PR_SET_NO_NEW_PRIVS. kSandbox where the kernel has no seccomp filters.
Status InstallSystemCallFilter();

}  // namespace kernelmill
