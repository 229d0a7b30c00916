// Fetching with the git program, which speaks every protocol and can fetch one commit only.
#pragma once

#include <string>

#include "manifests/status.h"

namespace kernelmill {

// Brings the commit that `revision` ("" is the remote's default branch) names on `url` into the
// bare repository `git_dir`, which is made when it does not exist; FETCH_HEAD then names the
// commit. No hooks, no prompts, no configuration of the user or the system, no helper protocols. A
// transfer that stalls is stopped, and tried again a few times.
//
// kCorrupt: the remote answers, but serves no repository that Git takes, or an empty one; its
// message is the same on every machine. kNotFound: there is no such repository or revision.
// kUnreachable: no answer, no access, or a transfer that broke off. kDiskFull and kIo: this
// machine's own trouble. kInterrupted: the run was asked to stop.
Status FetchBare(const std::string& url, const std::string& revision, const std::string& git_dir);

}  // namespace kernelmill
