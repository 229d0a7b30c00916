// The commands of the git program that a fetch consists of, with the settings that keep a hostile
// repository from doing anything. Git knows all protocols and can fetch a single commit. Called by
// FetchRemote() (remote_fetch.h).
#pragma once

#include <string>
#include <vector>

#include "manifests/status.h"
#include "stages/fetch/git_process.h"

namespace kernelmill {

// In a fetched repository, what was fetched last.
inline constexpr char kFetchedReference[] = "refs/kernelmill/fetched";

// What to fetch, how much of it, and where to.
struct RemoteFetch {
  std::string url;
  std::string revision;  // A reference or a commit's id; "" is the remote's default branch.
  std::string git_dir;   // A bare repository, which is created when it does not exist.
  // Options of `git fetch` that say how much: {"--depth=1"}.
  std::vector<std::string> extent;
};

// Creates `git_dir` unless it exists. kIo when git cannot.
Status MakeBareRepository(const std::string& git_dir);
// Fetches once, without hooks, submodules, prompts, configuration of user or system, or helper
// protocols; kFetchedReference then names the commit. What git stores holds no URL. A stalled
// transfer is stopped after a minute.
Result<GitEnd> FetchOnce(const RemoteFetch& fetch);
// Asks the remote for its references only.
Result<GitEnd> ListReferences(const std::string& url);
// The exit code of ListReferences() for a remote that answers and has no references.
inline constexpr int kNoReferences = 2;

// Git's messages in one line, without the credentials that `url` may hold.
std::string SaidBy(const GitEnd& end, const std::string& url);

}  // namespace kernelmill
