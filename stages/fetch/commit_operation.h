// Finds the commit that a revision names, or the last one before a time, in the confined child
// (UntrustedChild), because a repository is untrusted input. ResolveAll() (source_fetches.h) and
// the dry run pass the reader to Resolve() (source.h).
#pragma once

#include "stages/fetch/source.h"
#include "stages/untrusted/untrusted_child.h"

namespace kernelmill {

// The reply's body is a FoundCommit, as JSON.
extern const UntrustedOperation kCommitOperation;

// Reads commits in `child`, which must outlive the reader.
CommitReader ReadCommitsIn(UntrustedChild& child);

}  // namespace kernelmill
