// Which files of a repository are read, and which of their contents are parsed.
#pragma once

#include <string_view>

#include "corpora/git/git_repository.h"

namespace kernelmill {

// CUDA and MUSA sources, and C and C++ ones, by the path's end.
bool IsDeviceSource(std::string_view path);
bool IsNativeSource(std::string_view path);

// Why the entry is not read (a name of manifests/reason.h), or "" when it is.
// `kernels`: whether native sources are wanted.
std::string_view GateOf(const TreeEntry& entry, bool kernels);

struct Refusal {
  std::string_view reason;  // "" when the bytes are parsed.
  bool rejected = false;    // Something is wrong with them, rather than nothing to find in them.
};
Refusal RefuseContent(std::string_view path, std::string_view bytes);

}  // namespace kernelmill
