// A look at a loose Git object before libgit2 reads it. The only place that knows zlib.
#pragma once

#include <string>

#include "manifests/status.h"

namespace kernelmill {

// libgit2 1.5 writes past the end of its buffer when an object's first bytes hold more content than
// its header says (odb_loose.c, the size left is computed as an unsigned difference). kCorrupt for
// such a file; ok for every other one, whatever else may be wrong with it.
Status CheckLooseObject(const std::string& path);

}  // namespace kernelmill
