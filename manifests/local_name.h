// The name that an origin gives to a local file or folder, so that no record holds a path of this
// machine.
#pragma once

#include <string>

namespace kernelmill {

// The last component of the absolute `path`. For a work tree's ".git" folder, the name of the work
// tree.
std::string LocalName(const std::string& path);

}  // namespace kernelmill
