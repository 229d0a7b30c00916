// Decides which entries of a repository's tree are read, by path and kind of entry, and which of
// the read files are parsed, by content. The operation of the step "walk" asks about entries, that
// of the step "read" about the bytes of each file.
#pragma once

#include <string_view>

#include "corpora/git/git_repository.h"

namespace kernelmill {

// Whether the path's suffix is that of a CUDA or MUSA source.
bool IsDeviceSource(std::string_view path);
// Whether the path's suffix is that of a CUDA, MUSA, C or C++ source.
bool IsNativeSource(std::string_view path);

// The reason why an entry of a tree is not read (a name from manifests/reason.h); "" when it is
// read. `kernels`: whether native sources are wanted.
std::string_view WhySkipped(const TreeEntry& entry, bool kernels);

struct NotParsed {
  std::string_view reason;  // A name from manifests/reason.h; "" when the bytes are parsed.
  bool rejected = false;    // The bytes are malformed; otherwise there is nothing to find in them.
};
// Why the content `bytes` of the file at `path` is not parsed.
NotParsed WhyNotParsed(std::string_view path, std::string_view bytes);

}  // namespace kernelmill
