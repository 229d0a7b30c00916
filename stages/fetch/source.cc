#include "stages/fetch/source.h"

#include <filesystem>

#include "corpora/git/git_repository.h"
#include "manifests/local_name.h"
#include "manifests/printable.h"
#include "stages/fetch/cache_lock.h"
#include "stages/fetch/dated_commit.h"
#include "stages/fetch/local_repository.h"
#include "stages/fetch/remote_fetch.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

// The second before which a spec's commit was made; 0 when its revision is no day, or its commit is
// known.
std::int64_t EndOf(const SourceSpec& spec) {
  return spec.commit.empty() ? EndOfDay(spec.revision).value_or(0) : 0;
}

// Sets the commit that the question names. `chosen`: whether the user wrote the revision down.
Status FindCommit(const CommitReader& read_commit, const CommitQuestion& question, bool chosen,
                  ResolvedSource* source) {
  Result<FoundCommit> found = read_commit(question);
  if (found.ok() && found->there) {
    source->commit = std::move(found->id);
    return Status::Ok();
  }
  if (found.ok()) {
    return Status(ErrorCode::kNotFound, "it is a shallow repository, and its history ends before " +
                                            found->id + "; fetch that commit");
  }
  const ErrorCode code = found.status().code();
  const bool damaged = code == ErrorCode::kCorrupt || code == ErrorCode::kUsage;
  if (!damaged && (chosen || code != ErrorCode::kNotFound)) return found.status();
  source->trouble = found.status().message();
  return Status::Ok();
}

Result<ResolvedSource> ResolveLocal(const SourceSpec& spec, const CommitReader& read_commit) {
  KM_ASSIGN(const LocalRepository folder, FindLocalRepository(spec.git));
  ResolvedSource source;
  std::error_code error;
  source.git_dir = fs::weakly_canonical(folder.git_dir, error).string();
  source.url = spec.url.empty() ? RemoteOrigin(folder.git_dir) : spec.url;
  // The remote's address is untrusted, because it comes from the repository.
  if (spec.url.empty() && (!IsUrl(source.url) || Printable(source.url) != source.url)) {
    source.url = "urn:local:" + Printable(LocalName(spec.git));
  }
  const std::int64_t end = EndOf(spec);
  const std::string revision = !spec.commit.empty()                ? spec.commit
                               : end != 0 || spec.revision.empty() ? folder.head
                                                                   : spec.revision;
  const bool chosen = !spec.revision.empty() || !spec.commit.empty();
  const Status found = FindCommit(read_commit, {source.git_dir, revision, end}, chosen, &source);
  if (end != 0 && found.code() == ErrorCode::kNotFound && source.commit.empty()) {
    return found.Within("revision: " + spec.revision);
  }
  KM_RETURN_IF_ERROR(found);
  return source;
}

// The commit that a spec names; "" when it names a branch, a tag or a day.
std::string NamedCommit(const SourceSpec& spec) {
  if (!spec.commit.empty()) return spec.commit;
  return IsCommitId(spec.revision) ? spec.revision : "";
}

// The source of a URL without using the network: its commit is empty unless the spec names a commit
// that the cache has.
ResolvedSource LookUpUrl(const SourceSpec& spec, const FetchOptions& options,
                         const CommitReader& read_commit) {
  ResolvedSource source;
  source.url = spec.url.empty() ? spec.git : spec.url;
  source.git_dir = (fs::path(options.cache) / spec.CacheName(options.omit_from)).string();
  const std::string named = NamedCommit(spec);
  std::error_code error;
  if (!named.empty() && fs::exists(source.git_dir, error) &&
      read_commit({source.git_dir, named}).ok()) {
    source.commit = named;
  }
  return source;
}

// Fetches the spec's commit, or else that of its revision.
Status FetchCommit(const SourceSpec& spec, const FetchOptions& options,
                   const CommitReader& read_commit, const std::string& git_dir,
                   HostPauses& pauses) {
  RemoteFetch fetch = {spec.git, spec.commit, git_dir, {"--depth=1"}};
  if (options.omit_from > 0) {
    fetch.extent.push_back("--filter=blob:limit=" + std::to_string(options.omit_from));
    KM_RETURN_IF_ERROR(MakeBareRepository(git_dir));
    KM_RETURN_IF_ERROR(MarkOmitted(git_dir, options.omit_from));
  }
  if (!spec.commit.empty()) {
    const Status fetched = FetchRemote(fetch, pauses);
    const bool gone =
        fetched.code() == ErrorCode::kNotFound || fetched.code() == ErrorCode::kCorrupt;
    if (spec.pinned || !gone) return fetched;
  }
  fetch.revision = spec.revision;
  const std::optional<std::int64_t> end = EndOfDay(spec.revision);
  if (!end) return FetchRemote(fetch, pauses);
  Result<std::string> dated =
      FindDatedCommit(spec.git, *end, git_dir + ".history", read_commit, pauses);
  if (!dated.ok()) return dated.status();
  fetch.revision = *std::move(dated);
  KM_RETURN_IF_ERROR(FetchRemote(fetch, pauses));
  const Result<FoundCommit> found = read_commit({git_dir, fetch.revision, *end});
  if (found.ok() && found->id == fetch.revision) return Status::Ok();
  return Status(ErrorCode::kNotFound,
                "its commits are not in the order of their dates; name the "
                "commit that you mean");
}

Result<ResolvedSource> ResolveUrl(const SourceSpec& spec, const FetchOptions& options,
                                  const CommitReader& read_commit, HostPauses& pauses) {
  ResolvedSource source = LookUpUrl(spec, options, read_commit);
  if (!source.commit.empty()) return source;
  KM_ASSIGN(const CacheLock lock, CacheLock::Acquire(source.git_dir));
  const Status fetched = FetchCommit(spec, options, read_commit, source.git_dir, pauses);
  if (fetched.code() == ErrorCode::kCorrupt) {
    if (spec.pinned) {
      return Status(ErrorCode::kNotFound,
                    "its commit " + spec.commit + " cannot be fetched: " + fetched.message());
    }
    source.trouble = fetched.message();
    return source;
  }
  KM_RETURN_IF_ERROR(fetched);
  KM_RETURN_IF_ERROR(FindCommit(read_commit, {source.git_dir, kFetchedReference}, false, &source));
  return source;
}

// A source of which a lock says that it cannot be used.
ResolvedSource Unusable(const SourceSpec& spec, const FetchOptions& options) {
  const std::string folder =
      IsUrl(spec.git) ? (fs::path(options.cache) / spec.CacheName(options.omit_from)).string()
                      : spec.git;
  return {.url = spec.url, .git_dir = folder, .commit = "", .trouble = spec.trouble};
}

Result<ResolvedSource> ResolveAny(const SourceSpec& spec, const FetchOptions& options,
                                  const CommitReader& read_commit, HostPauses* pauses) {
  KM_RETURN_IF_ERROR(CheckSourceSpec(spec));
  if (spec.pinned && spec.commit.empty()) return Unusable(spec, options);
  if (!IsUrl(spec.git)) return ResolveLocal(spec, read_commit);
  HostPauses own;
  return ResolveUrl(spec, options, read_commit, pauses == nullptr ? own : *pauses);
}

}  // namespace

Result<ResolvedSource> Resolve(const SourceSpec& spec, const FetchOptions& options,
                               const CommitReader& read_commit, HostPauses* pauses) {
  Result<ResolvedSource> source = ResolveAny(spec, options, read_commit, pauses);
  if (!source.ok()) return source.status().Within(spec.Describe());
  if (spec.pinned && source->commit != spec.commit) {
    return Status(ErrorCode::kNotFound, spec.Describe() + ": its commit " + spec.commit +
                                            " cannot be read: " + source->trouble);
  }
  source->url = WithoutCredentials(source->url);
  return source;
}

Result<std::optional<ResolvedSource>> ResolveOffline(const SourceSpec& spec,
                                                     const FetchOptions& options,
                                                     const CommitReader& read_commit) {
  if (!IsUrl(spec.git)) {
    KM_ASSIGN(ResolvedSource source, Resolve(spec, options, read_commit));
    return std::optional(std::move(source));
  }
  KM_RETURN_IF_ERROR(CheckSourceSpec(spec).Within(spec.Describe()));
  if (spec.pinned && spec.commit.empty()) return std::optional(Unusable(spec, options));
  ResolvedSource source = LookUpUrl(spec, options, read_commit);
  if (source.commit.empty()) return std::optional<ResolvedSource>();
  source.url = WithoutCredentials(source.url);
  return std::optional(std::move(source));
}

}  // namespace kernelmill
