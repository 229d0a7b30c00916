// What origins call a file or folder of this machine, whose path they must not name.
#pragma once

#include <string>

namespace kernelmill {

// The last part of `path`, made absolute; of a work tree's ".git", the name of the work tree.
std::string LocalName(const std::string& path);

}  // namespace kernelmill
