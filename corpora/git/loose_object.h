// Reads loose Git objects, each of which is one zlib stream in a file, for the libgit2 backend in
// git_loose_backend.h. ReadLooseHeader() reads only the kind and the size. Only this module uses
// zlib.
#pragma once

#include <cstdint>
#include <string>

#include "manifests/status.h"

namespace kernelmill {

struct LooseObject {
  std::string kind;  // "commit", "tree", "blob" or "tag"; not checked.
  std::uint64_t size = 0;
  std::string content;
};

// Whether an errno value says that the machine does not let a file be read, whatever it holds: a
// limit on open files or a disk that fails. A lack of permission is none: it is what confinement
// says of a repository that links to files outside it.
bool IsRefusedByMachine(int error);

// kNotFound when the file does not exist. kWorker when IsRefusedByMachine(). kCorrupt when the
// stream is damaged, truncated, followed by other bytes, or not as long as its header says, when
// the file must not be read, and when the object has more than 1 GiB. Allocations are bounded by
// the size of the file.
Result<LooseObject> ReadLooseObject(const std::string& path);
// Reads only the kind and the size.
Result<LooseObject> ReadLooseHeader(const std::string& path);

}  // namespace kernelmill
