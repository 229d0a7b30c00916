// What --version prints: the version and the identity of what shapes the output.
#pragma once

#include <string>

namespace kernelmill {

// "0.1.0 (torch 2.13.0, …)", for --version.
std::string VersionText();

}  // namespace kernelmill
