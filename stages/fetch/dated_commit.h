// Finds the last commit of a remote's default branch before a time, without fetching its files.
// Called by Resolve() (source.h).
#pragma once

#include <cstdint>
#include <string>

#include "manifests/status.h"
#include "stages/fetch/commit_reader.h"
#include "stages/fetch/host_pauses.h"

namespace kernelmill {

// The commit's id: of the line of first parents of the default branch, the first commit from its
// end whose committer's clock shows a time before `end` (seconds since 1970, UTC). Fetches only
// commits, where the server can leave out the rest, and of these only those since `end`. `git_dir`
// is replaced, and removed in the end; the caller holds its lock.
//
// Errors: those of FetchRemote() (remote_fetch.h); kNotFound when the branch has no commit that
// old.
Result<std::string> FindDatedCommit(const std::string& url, std::int64_t end,
                                    const std::string& git_dir, const CommitReader& read_commit,
                                    HostPauses& pauses);

}  // namespace kernelmill
