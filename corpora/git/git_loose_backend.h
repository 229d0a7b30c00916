// Loose objects for libgit2, read by corpora/git/loose_object: version 1.5 of libgit2 writes past the
// end of its buffer for a header that understates the size, and never returns from a stream that is
// cut short.
#pragma once

#include <string>

struct git_odb_backend;

namespace kernelmill {

// For git_odb_add_backend(), which takes ownership. `objects` is the folder of the object store.
git_odb_backend* MakeLooseBackend(std::string objects);

}  // namespace kernelmill
