// Lists the operations on untrusted input (stages/untrusted/untrusted_operation.h) of all steps and
// of the phase "fetch": the requests that the confined child process answers. main passes the list
// to the program when it runs as that child.
#pragma once

#include <span>

#include "stages/untrusted/untrusted_operation.h"

namespace kernelmill {

std::span<const UntrustedOperation> AllUntrustedOperations();

}  // namespace kernelmill
