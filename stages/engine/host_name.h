// The name of this machine, for what tells people where a process runs.
#pragma once

#include <string>

namespace kernelmill {

std::string HostName();

}  // namespace kernelmill
