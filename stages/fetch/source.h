// Where a repository to mine lies, and which commit of it is mined.
#pragma once

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
  std::string commit;   // 40 hexadecimal digits.

  // 16 hexadecimal digits that stand for (url, commit) in keys.
  std::string Key() const;
};

// Local repositories are read in place; a URL is fetched into `cache_dir` (bare, one commit) unless
// it is there already and the revision is a full commit id. kNotFound when there is no such
// repository or revision, kUsage when it is one that we refuse, kIo when the fetch fails.
Result<ResolvedSource> Resolve(const SourceSpec& spec, const std::string& cache_dir);

// The same, but fetches nothing: no source when it would have to be fetched first.
Result<std::optional<ResolvedSource>> ResolveOffline(const SourceSpec& spec,
                                                     const std::string& cache_dir);

// True for https://…, ssh://…, git://…, file://… and user@host:path.
bool IsUrl(const std::string& git);

}  // namespace kernelmill
