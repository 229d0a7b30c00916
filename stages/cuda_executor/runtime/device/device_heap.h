// The heap of the device, from which kernels allocate by malloc() and new (CUDA guide, "Dynamic
// Global Memory Allocation and Operations"): beyond its size they get a null pointer. Blocks that a
// device runs at once share it, and here they run one after the other; so what is freed is for the
// thread that had allocated it, until other blocks follow. Which blocks a
// device runs at once is taken from their numbers, and here they run in another order; so the heap
// may seem larger than it is.
#pragma once

namespace kernelmill {

// Whether an address lies in what kernels have allocated and not freed.
bool IsOfHeap(const void* address);

}  // namespace kernelmill
