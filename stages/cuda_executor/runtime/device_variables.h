// The memory of variables declared with __device__, __constant__ or __managed__, which the rewrite
// of a source (parsers/cuda_rewrite.h) makes references to memory of the device: host code that
// accesses them by name faults, as it would on a device, and managed ones may be accessed by both.
//
// Those that the rewrite leaves as they are do not compile (qualifiers.h), but for constants, which
// nobody can change.
#pragma once

namespace kernelmill {

// Whether the address lies in a variable declared with __constant__. Constant memory has a cache of
// its own, and so the counter of memory requests (access_counter.h) leaves it out.
bool IsConstantMemory(const void* address);

}  // namespace kernelmill
