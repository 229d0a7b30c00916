// Fetches from a remote until it succeeds or cannot succeed. Called by Resolve() (source.h) and
// FindDatedCommit() (dated_commit.h).
#pragma once

#include "manifests/status.h"
#include "stages/fetch/git_program.h"
#include "stages/fetch/host_pauses.h"

namespace kernelmill {

// Fetches what `fetch` says, after removing what a killed git left. What passes by itself (no
// answer, HTTP 429 and 5xx, a transfer that breaks) is tried again up to four times, after waits
// that double from a second on, and not before the server's Retry-After. `pauses`: of the fetches
// that run at the same time. The caller holds the folder's lock (cache_lock.h).
//
// Errors: those of FetchFailure::status, and kInterrupted.
Status FetchRemote(const RemoteFetch& fetch, HostPauses& pauses);

}  // namespace kernelmill
