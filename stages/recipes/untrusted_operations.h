// Lists the operations on untrusted input of all steps: the requests that the confined child
// process answers.
#pragma once

#include <span>

#include "stages/untrusted/untrusted_operation.h"

namespace kernelmill {

std::span<const UntrustedOperation> AllUntrustedOperations();

}  // namespace kernelmill
