// Addresses in the windows of shared and global memory, which PTX has beside generic addresses. The
// window of shared memory begins at 0 and is that of the running block, so that its addresses fit
// into 32 bits.
#pragma once

#include <kernelmill/executor.h>

namespace kernelmill {

// The address in the window of shared memory. For a pointer to other memory it is none.
std::size_t SharedAddress(const void* pointer);
// The pointers that such addresses stand for. A launch ends where the window does not hold `size`
// bytes at the address, or where the address of global memory is one of shared memory.
void* SharedPointer(std::uint64_t address, std::size_t size, Site site);
void* GlobalPointer(std::uint64_t address, Site site);
// What an atomic addition of floats leaves at the address if one of them, or the sum, is too small
// to be normal: in global memory each such number counts as a zero of its sign (PTX ISA, atom).
float SumOfTiny(const void* address, float old, float value);

}  // namespace kernelmill
