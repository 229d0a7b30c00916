// Lists the files of a repository that mining reads, in the confined child, because the repository
// is untrusted input. The step "walk" asks for it with WalkRepository().
#pragma once

#include <string>

#include "stages/mine/mining_options.h"
#include "stages/untrusted/untrusted_child.h"

namespace kernelmill {

extern const UntrustedOperation kWalkOperation;

// Lists the files of `commit` in `git_dir`. The reply's body is {"entries": [{"path", "blob",
// "size"}], "counters": {reason: count}}; every entry of the tree is in exactly one of the two.
// Native sources are listed only if some of them are CUDA or MUSA sources.
Result<UntrustedReply> WalkRepository(UntrustedChild& child, const std::string& git_dir,
                                      const std::string& commit, const MiningOptions& options);

}  // namespace kernelmill
