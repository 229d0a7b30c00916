// The version of the program, for --version and the manual page, and the identity of everything
// that shapes its output.
#pragma once

#include <string>
#include <string_view>

namespace kernelmill {

// "0.1.0".
std::string_view ProgramVersion();

// For --version: "kernelmill 0.1.0 (torch 2.13.0, program 0f3a…, worker 91c2…)".
std::string VersionText();

}  // namespace kernelmill
