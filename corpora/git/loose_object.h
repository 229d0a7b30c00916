// Loose Git objects: one zlib stream a file. The only place that knows zlib.
#pragma once

#include <cstdint>
#include <string>

#include "manifests/status.h"

namespace kernelmill {

struct LooseObject {
  std::string kind;  // "commit", "tree", "blob" or "tag"; whatever the file says.
  std::uint64_t size = 0;
  std::string content;
};

// kNotFound when there is no such file. kCorrupt for a stream that is damaged, cut short, not as
// long as its header says, or followed by something else; nothing is allocated that the file is too
// small to hold. An object of more than 1 GiB is kCorrupt too.
Result<LooseObject> ReadLooseObject(const std::string& path);
// Kind and size alone.
Result<LooseObject> ReadLooseHeader(const std::string& path);

}  // namespace kernelmill
