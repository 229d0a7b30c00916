// Where a repository to mine lies, and which commit of it is mined.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "manifests/status.h"

namespace kernelmill {

// As the configuration names it.
struct SourceSpec {
  std::string git;       // A local repository (bare, work tree or .git file), or a URL.
  std::string revision;  // A branch, tag or commit; "" is the default branch.
  std::string url;       // The origin to record; "" derives it, see ResolvedSource::url.
};

struct ResolvedSource {
  // What origins say: the url of the spec, else the URL itself, else the local repository's remote
  // "origin", else "urn:local:<folder name>". Never a path of this machine, never a credential.
  std::string url;
  std::string git_dir;  // Where GitRepository::Open finds it.
  std::string commit;   // 40 hexadecimal digits; "" for a repository that is no use.
  std::string trouble;  // Why it is no use: damaged, empty, or reaching outside its own folder.

  // 16 hexadecimal digits that stand for (url, commit) in keys.
  std::string Key() const;
};

// The commit that a revision ("" is HEAD) names in the repository `git_dir`. Whoever made that
// repository chose every byte of it, so a run reads it in another process (MiningChild).
using CommitReader =
    std::function<Result<std::string>(const std::string& git_dir, const std::string& revision)>;
// In this process, for repositories of our own making.
Result<std::string> ReadCommit(const std::string& git_dir, const std::string& revision);

// Local repositories are read in place; a URL is fetched into `cache_dir` (bare, one commit) unless
// it is there already and the revision is a full commit id. kNotFound when there is no such
// repository or revision, kUnreachable when a remote does not answer. A repository that is there
// but cannot be read or fetched is no error: its `trouble` says why, and mining rejects it.
Result<ResolvedSource> Resolve(const SourceSpec& spec, const std::string& cache_dir,
                               const CommitReader& read_commit = ReadCommit);

// The same, but fetches nothing: no source when it would have to be fetched first.
Result<std::optional<ResolvedSource>> ResolveOffline(const SourceSpec& spec,
                                                     const std::string& cache_dir,
                                                     const CommitReader& read_commit = ReadCommit);

// What a local path is called where the path itself may not be told: the last name in it, of a work
// tree's .git that of the work tree.
std::string LocalName(const std::string& path);

// True for https://…, ssh://…, git://…, file://… and user@host:path.
bool IsUrl(const std::string& git);

}  // namespace kernelmill
