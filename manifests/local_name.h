// The name under which the origin of a record mentions a local repository or a local file of tasks:
// the last component of its path, so that no record holds a path of this machine.
#pragma once

#include <string>

namespace kernelmill {

// The last component of the absolute `path`. For a work tree's ".git" folder, the name of the work
// tree.
std::string LocalName(const std::string& path);

}  // namespace kernelmill
