// The backend with which GitRepository makes libgit2 read loose objects_folder: it reads them with
// corpora/git/loose_object.h. libgit2 1.5's own backend writes past the end of its buffer when a
// header understates the size, and does not return from a truncated stream.
#pragma once

#include <string>

struct git_odb_backend;

namespace kernelmill {

// The result is for git_odb_add_backend(), which takes ownership. `objects_folder` is the folder of
// the object store.
git_odb_backend* MakeLooseBackend(std::string objects_folder);

}  // namespace kernelmill
