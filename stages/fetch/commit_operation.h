// Finds the commit that a revision names, in the confined child (UntrustedChild), because a
// repository is untrusted input. ResolveSources() and the dry run pass the reader to Resolve()
// (source.h).
#pragma once

#include "stages/fetch/source.h"
#include "stages/untrusted/untrusted_child.h"

namespace kernelmill {

// The reply's body is the commit's 40 hexadecimal digits.
extern const UntrustedOperation kCommitOperation;

// Reads commits in `child`, which must outlive the reader.
CommitReader ReadCommitsIn(UntrustedChild& child);

}  // namespace kernelmill
