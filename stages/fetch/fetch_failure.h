// Why a fetch failed, what its user can do, and whether another try may help. Called by
// FetchRemote() (remote_fetch.h).
#pragma once

#include <chrono>
#include <optional>

#include "manifests/status.h"
#include "stages/fetch/git_program.h"

namespace kernelmill {

struct FetchFailure {
  // kCorrupt: the remote answers, but with an empty repository or one that Git refuses; the message
  // is the same on every machine. kNotFound: there is no such repository or revision, or no access
  // to it. kUnreachable: no answer, or a broken transfer. kDiskFull, kIo: a problem of this
  // machine.
  Status status;
  // How long the server asks to wait, if it does.
  std::optional<std::chrono::seconds> wait;
};

// Explains `end`, with which `fetch` ended. May ask the remote for its references. An error is one
// of git's start, or kInterrupted.
Result<FetchFailure> ExplainFailure(const GitEnd& end, const RemoteFetch& fetch);

}  // namespace kernelmill
