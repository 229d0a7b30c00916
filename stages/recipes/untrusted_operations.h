// The operations of all steps on untrusted input: what the confined child process can be asked.
#pragma once

#include <span>

#include "stages/untrusted/untrusted_operation.h"

namespace kernelmill {

std::span<const UntrustedOperation> AllUntrustedOperations();

}  // namespace kernelmill
