// Fetches one commit of a remote repository with the git program, which knows all protocols and can
// fetch a single commit. Called by Resolve() (source.h). `git_dir`, a bare repository in the cache,
// is written.
#pragma once

#include <string>

#include "manifests/status.h"

namespace kernelmill {

// Fetches the commit that `revision` ("" is the remote's default branch) names on `url` into the
// bare repository `git_dir`, which is created when it does not exist; FETCH_HEAD then names the
// commit. Uses no hooks, prompts, configuration of user or system, or helper protocols. A stalled
// transfer is stopped and retried a few times.
//
// kCorrupt: the remote answers, but with an empty repository or one that Git refuses; the message
// is the same on every machine. kNotFound: there is no such repository or revision. kUnreachable:
// no answer, no access, or a broken transfer. kDiskFull, kIo: a problem of this machine.
// kInterrupted: the run was asked to stop.
Status FetchBare(const std::string& url, const std::string& revision, const std::string& git_dir);

}  // namespace kernelmill
