// Cutting a class out of its repository with everything it needs: base classes, helpers, constants
// and imports, in one module whose text is the original but for renamed names.
#pragma once

#include <string>
#include <vector>

#include "stages/mine/repository_index.h"

namespace kernelmill {

struct SliceLimits {
  std::int64_t lines = 400;
  std::int64_t files = 12;
};

struct Slice {
  std::string code;        // One import block, then the definitions; the entry is called Model.
  std::vector<int> files;  // Of the index, ascending: those that gave a definition.
  std::int64_t lines = 0;  // Of code.
  // Where each definition of the slice comes from: its name in `code`, its file, its own name.
  struct Part {
    std::string name;
    int file = 0;
    std::string original;
  };
  std::vector<Part> parts;
};

struct SliceResult {
  Slice slice;
  std::string reason;  // Of manifests/reason.h when there is no slice, else "".
  std::string detail;
};

// Slices class `class_name` of `file`.
SliceResult CutSlice(const RepositoryIndex& index, int file, const std::string& class_name,
                     const SliceLimits& limits);

}  // namespace kernelmill
