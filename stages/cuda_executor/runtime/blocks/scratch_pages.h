// Scratch memory of forward() in launches of which only some blocks run, page by page: what the
// blocks of a launch touch that runs as a whole, of what blocks of earlier launches have touched. A
// launch that reads only the first pages of all partial results leaves the other ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "stages/cuda_executor/runtime/address_spaces.h"

namespace kernelmill {

// The parts of an allocation that lie in touched pages: offset and size, in bytes. From now on its
// pages are small: a block may touch few bytes of a huge one.
std::vector<std::pair<std::size_t, std::size_t>> TouchedParts(const AllocatedMemory& memory);

// Before a launch: forgets the values of scratch memory, so that pages that nobody touches from now
// on can be seen. `without`: the AllocationNumber() of memory that is none.
void BeginScratch(const std::vector<std::uint64_t>& without);
// After it. `whole`: whether all of its blocks have run. Returns how many pages of all scratch
// memory launches that have run as a whole have left behind the last one that any of them has
// touched.
std::uint64_t EndScratch(bool whole);

}  // namespace kernelmill
