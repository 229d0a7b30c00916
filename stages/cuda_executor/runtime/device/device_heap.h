// The heap of the device, from which kernels allocate by malloc() and new (CUDA guide, "Dynamic
// Global Memory Allocation and Operations"): beyond its size they get a null pointer. Blocks that a
// device runs at once share it, and here they run one after the other; so what a thread has freed
// is only its own to take again, until other blocks follow.
#pragma once

namespace kernelmill {

// Whether an address lies in what kernels have allocated and not freed.
bool IsOfHeap(const void* address);

}  // namespace kernelmill
