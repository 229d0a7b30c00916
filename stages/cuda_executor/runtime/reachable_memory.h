// Decides, in the build that sees each access of a kernel, whether a thread may access an address.
// A pointer within a structure, a capture or a variable of the device may hold an address of the
// host's memory, where no page fault tells: address_spaces.h replaces only pointers that are
// arguments themselves.
#pragma once

#include <cstddef>

namespace kernelmill {

// Whether it lies in memory of the device or of both spaces, in shared memory, in a constant of a
// library, in what a kernel has allocated, or in the arguments of the running launch, which lie
// near `context`. A variable of the device is reached by a reference in the library, which is only
// read.
bool IsReachable(const void* address, std::size_t size, bool writes, const void* context);
// Forgets what was found. Called before each launch.
void ForgetReachable();

}  // namespace kernelmill
