// Confines the current process before it reads untrusted input.
#pragma once

#include <string>

#include "manifests/status.h"

namespace kernelmill {

// Confines this process for good. It keeps its open descriptors, loses its capabilities except the
// one to read files of other users, and can make only the calls of system_call_filter.h. If the
// kernel has Landlock, it can read only files below `folder`, or none if `folder` is "" or does not
// exist. kSandbox if the kernel lacks another part of this.
//
// Does nothing in a build with sanitizers, which read /proc, trace, and start programs.
Status ConfineProcess(const std::string& folder);

// The kernel's Landlock version, from 1; 0 when it has none or it is turned off.
int LandlockVersion();

}  // namespace kernelmill
