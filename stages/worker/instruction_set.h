// The instruction set by which torch chooses its implementations. Their results differ in the last
// bits, so the keys of stored verdicts and outcomes cover it.
#pragma once

#include <string>

namespace kernelmill {

// That of this processor, or the one that ATEN_CPU_CAPABILITY asks torch for.
std::string InstructionSet();

}  // namespace kernelmill
