// What a port row says of device code: what of a program's kernels depends on the platform, what
// that changes, and what was checked where only names change. Called by WritePortRows(), and for
// ports of repositories by generators/kernel_prose/port_prose.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpora/records/candidate.h"

namespace kernelmill {

// How much of the device code depends on the platform: pairs of programs with a higher number teach
// more.
enum class PortDifference { kNames, kTypeNames, kWarpWidth };
PortDifference DifferenceOfPort(const Candidate& from, const Candidate& to);

// The functions in the code that exchange values within a warp, each once.
std::vector<std::string> WarpFunctionsIn(const std::string& code);
// A sentence about `what`, which calls them: what it assumes of the device.
std::string WarpWidthText(std::string_view what, const std::vector<std::string>& functions);

// Whole sentences about the kernels of `to`, which is the port of `from`. `one_width`: the question
// names a device whose warps are as wide as those of the other side.
std::string PortedKernelsText(const Candidate& from, const Candidate& to, bool one_width);

}  // namespace kernelmill
