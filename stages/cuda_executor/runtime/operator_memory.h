// Follows the device's values through torch's operators (address_spaces.h). An operator may access
// all memory while it runs; what it makes of device memory is device memory, and what it writes of
// it into host memory counts as moved there.
//
// Torch's own operators are those that were registered before the candidate ran, with the kernels
// that they had then (dispatch_tables.h), called by the dispatcher. All else is host code:
// operators of an extension or of a candidate's Python, functions that it registers for one of
// torch's, and Python that answers for an operator (a dispatch mode, a tensor subclass).
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "stages/cuda_executor/runtime/address_spaces.h"

namespace kernelmill {

// Begins to observe operators. Called once per process, before the candidate is imported.
void WatchOperators();

// The state of the memory that a tensor lies in; nothing for memory that torch's allocator has not
// made, and for tensors without memory.
std::optional<MemoryState> MemoryOf(const at::Tensor& tensor);

}  // namespace kernelmill
