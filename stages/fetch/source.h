// Finds a repository that a configuration names, fetches a remote one into the cache, and fixes the
// commit that is mined. A run does this for all sources before its first step, and an audit does it
// again (ResolveAll(), source_fetches.h); a dry run uses ResolveOffline().
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "corpora/git/resolved_source.h"
#include "manifests/status.h"
#include "stages/fetch/commit_reader.h"
#include "stages/fetch/source_spec.h"

namespace kernelmill {

class HostPauses;

// Where remote repositories are fetched to, and which of their files are not.
struct FetchOptions {
  std::string cache;           // The folder of fetched repositories.
  std::int64_t omit_from = 0;  // Servers that can leave out files of so many bytes do; 0: none.
};

// Reads a local repository in place; fetches a URL into the cache (bare, one commit, and what the
// server has of it since the last fetch) unless it is there already and the spec names a full
// commit id. The result's `url` is that of the spec, else the URL itself, else the local
// repository's remote "origin", else "urn:local:<folder name>".
//
// kNotFound when there is no such repository, revision or access, kUnreachable when a remote does
// not answer; the message names the source. A repository that exists but cannot be read or fetched
// is no error, unless the spec's commit is pinned: its `trouble` says why, and mining rejects it.
// `pauses`: of the calls at the same time; null for one alone.
Result<ResolvedSource> Resolve(const SourceSpec& spec, const FetchOptions& options = {},
                               const CommitReader& read_commit = ReadCommit,
                               HostPauses* pauses = nullptr);

// As Resolve(), but fetches nothing: no source when it would have to be fetched first.
Result<std::optional<ResolvedSource>> ResolveOffline(const SourceSpec& spec,
                                                     const FetchOptions& options,
                                                     const CommitReader& read_commit = ReadCommit);

}  // namespace kernelmill
