// Finds the repositories that a configuration names, fetches remote ones into the cache, and fixes
// the commit that is mined. A run does this before its first step, and an audit does it again
// (ResolveSources(), stages/recipes/configured_sources.h); a dry run uses ResolveOffline().
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "corpora/git/resolved_source.h"
#include "manifests/status.h"

namespace kernelmill {

// A source as the configuration names it.
struct SourceSpec {
  std::string git;       // A local repository (bare, work tree or .git file), or a URL.
  std::string revision;  // A branch, tag or commit; "" is the default branch.
  std::string url;       // The origin to record; "" derives it, see Resolve().
  // Of a URL: the commit to use whatever `revision` names by now, such as the one that an
  // unfinished run began with; "" for the commit of `revision`. When the remote no longer has it,
  // `revision` decides.
  std::string commit = {};

  // Of a URL: the name of its repository below the folder of fetched ones, for each `git` and
  // `revision` another one.
  std::string CacheName() const;
};

// Reads the commit that a revision ("" is HEAD) names in the repository `git_dir`. A repository is
// untrusted input, so a run reads it in a confined child (stages/fetch/commit_operation.h).
using CommitReader =
    std::function<Result<std::string>(const std::string& git_dir, const std::string& revision)>;
// Reads it in this process; only for repositories of our own making.
Result<std::string> ReadCommit(const std::string& git_dir, const std::string& revision);

// Reads a local repository in place; fetches a URL into `cache_dir` (bare, one commit) unless it is
// there already and the spec names a full commit id. The result's `url` is that of the spec, else
// the URL itself, else the local repository's remote "origin", else "urn:local:<folder name>".
// kNotFound when there is no such repository or revision, kUnreachable when a remote does not
// answer. A repository that exists but cannot be read or fetched is no error: its `trouble` says
// why, and mining rejects it.
Result<ResolvedSource> Resolve(const SourceSpec& spec, const std::string& cache_dir,
                               const CommitReader& read_commit = ReadCommit);

// As Resolve(), but fetches nothing: no source when it would have to be fetched first.
Result<std::optional<ResolvedSource>> ResolveOffline(const SourceSpec& spec,
                                                     const std::string& cache_dir,
                                                     const CommitReader& read_commit = ReadCommit);

// True for https://…, ssh://…, git://…, file://… and user@host:path.
bool IsUrl(const std::string& git);

}  // namespace kernelmill
