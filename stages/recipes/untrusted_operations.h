// Lists the operations on untrusted input of all steps (stages/untrusted/untrusted_operation.h):
// the requests that the confined child process answers. main passes the list to the program when it
// runs as that child.
#pragma once

#include <span>

#include "stages/untrusted/untrusted_operation.h"

namespace kernelmill {

std::span<const UntrustedOperation> AllUntrustedOperations();

}  // namespace kernelmill
