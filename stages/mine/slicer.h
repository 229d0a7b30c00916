// Cuts a class out of its repository with everything that it needs: base classes, functions,
// constants and imports, in one module. Called by the step "slice" for each class. Definitions keep
// their original text except for renamed names and imports inside of them. A class that needs more
// than SliceLimits allows, a module that the import policy refuses, a name that nothing defines, or
// text that does not parse, is rejected. `file` is a position in the index's files().
#pragma once

#include <string>
#include <vector>

#include "stages/mine/repository_index.h"

namespace kernelmill {

// A class that needs more is rejected.
struct SliceLimits {
  std::int64_t lines = 400;
  std::int64_t files = 12;
};

struct Slice {
  std::string code;        // One import block, then the definitions; the entry is called Model.
  std::vector<int> files;  // Files of the index that contributed a definition, ascending.
  std::int64_t lines = 0;  // Lines of `code`.
  // The origin of a definition: its name in `code`, its file, and its original name.
  struct Definition {
    std::string name;
    int file = 0;
    std::string original;
  };
  std::vector<Definition> definitions;
};

struct SliceResult {
  Slice slice;
  std::string reason;  // "" on success, else a name from manifests/reason.h.
  std::string detail;
};

// Slices class `class_name` of `file`.
SliceResult CutSlice(const RepositoryIndex& index, int file, const std::string& class_name,
                     const SliceLimits& limits);

}  // namespace kernelmill
