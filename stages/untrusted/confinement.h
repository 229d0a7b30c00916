// What a process gives up before it reads untrusted bytes.
#pragma once

#include <string>

#include "manifests/status.h"

namespace kernelmill {

// Nothing can be undone afterwards. The process keeps the descriptors it has, loses its
// capabilities (but for the one to read what others own), may make the calls of
// system_call_filter.h only and, where the kernel has Landlock, reads what lies under `folder` and
// no other file; "" stands for no file at all. A folder that is not there cannot be read later
// either. kSandbox where the kernel does not know how.
//
// A build with sanitizers is not confined: they read /proc, trace and start programs.
Status Confine(const std::string& folder);

// Of the kernel, 1 or more; 0 where there is none, or it is turned off.
int LandlockVersion();

}  // namespace kernelmill
