// Confines the current process, for good, to reading below one folder. The untrusted child calls it
// before it reads its first request (stages/untrusted/untrusted_child.h).
#pragma once

#include <string>

#include "manifests/status.h"

namespace kernelmill {

// The process keeps its open descriptors, loses its capabilities except the
// one to read files of other users, and can make only the calls of system_call_filter.h. If the
// kernel has Landlock, it can read only files below `readable_folder`, or none if that is "" or
// does not exist. kSandbox if the kernel lacks another part of this.
//
// Does nothing in a build with sanitizers, which read /proc, trace, and start programs.
Status ConfineProcess(const std::string& readable_folder);

// The kernel's Landlock version, from 1; 0 when it has none or it is turned off. ConfineProcess()
// uses it, and tests that need Landlock.
int LandlockVersion();

}  // namespace kernelmill
