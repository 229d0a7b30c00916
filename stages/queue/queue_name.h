// The name of the queue of this checkout and machine. Two processes have the same queue only if
// their verdicts on an answer have the same key and lie in the same store: what another program,
// compiler or processor finds is another verdict, which who leads the run would wait for in vain.
#pragma once

#include <string>

#include "manifests/status.h"

namespace kernelmill {

// "kernelmill:" and twelve hexadecimal digits.
Result<std::string> QueueName();

}  // namespace kernelmill
