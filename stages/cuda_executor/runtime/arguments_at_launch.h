// What parameters that are const and __restrict__ read (parsers/cuda_restrict.h). The kernel says of them
// that nothing which it reads there is written during the launch, and CUDA's compiler may read it
// through a cache that sees no write, or once for all. So they read what was there when the launch began.
//
// Only where two pointers that are arguments of a launch lie in one allocation can it matter: then a
// copy of the allocation is made. A kernel that works in place, element by element, reads the same
// from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace kernelmill {

class ArgumentsAtLaunch {
 public:
  // Adds a pointer that is an argument of the launch that follows.
  void Add(const void* pointer);
  // The launch begins: copies are made, or not, if it runs in part or in a build without them.
  void Begin(bool copies);
  // The launch has ended, or does not run.
  void End();
  const void* ValuesOf(const void* pointer) const;

 private:
  struct Copy {
    const char* first;
    std::size_t size;
    char* values;
  };
  std::set<std::uint64_t> seen_, twice_;  // The numbers of allocations.
  std::vector<Copy> copies_;
};
ArgumentsAtLaunch& TheArguments();

}  // namespace kernelmill
