// What a port row says of device code: what of a program's kernels depends on the platform, what
// that changes, and what was checked where only names change. Called by WritePortRows().
#pragma once

#include <string>

#include "corpora/records/candidate.h"

namespace kernelmill {

// How much of the device code depends on the platform: pairs of programs with a higher number teach
// more.
enum class PortDifference { kNames, kTypeNames, kWarpWidth };
PortDifference DifferenceOfPort(const Candidate& from, const Candidate& to);

// Whole sentences about the kernels of `to`, which is the port of `from`.
std::string PortedKernelsText(const Candidate& from, const Candidate& to);

}  // namespace kernelmill
