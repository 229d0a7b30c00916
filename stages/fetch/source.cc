#include "stages/fetch/source.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "corpora/git/git_repository.h"
#include "manifests/digest.h"
#include "manifests/local_name.h"
#include "manifests/printable.h"
#include "stages/fetch/git_program.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

std::string Trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

// The first `limit` bytes of a small file; "" when it cannot be read.
std::string Head(const fs::path& path, std::size_t limit) {
  std::ifstream file(path, std::ios::binary);
  std::string text(limit, '\0');
  file.read(text.data(), static_cast<std::streamsize>(limit));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

constexpr std::size_t kConfigLimit = 1 << 20;

// The url of [remote "origin"] in a Git configuration file; "" when there is none.
std::string RemoteOrigin(const fs::path& git_dir) {
  std::istringstream lines(Head(git_dir / "config", kConfigLimit));
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    line = Trimmed(line);
    if (line.starts_with("[")) inside = line == "[remote \"origin\"]";
    const auto equals = line.find('=');
    if (inside && equals != std::string::npos && Trimmed(line.substr(0, equals)) == "url") {
      return Trimmed(line.substr(equals + 1));
    }
  }
  return "";
}

// Drops "user:password@" of an authority.
std::string WithoutCredentials(const std::string& url) {
  const auto scheme = url.find("://");
  if (scheme == std::string::npos) return url;
  const auto start = scheme + 3;
  const auto at = url.substr(0, url.find('/', start)).rfind('@');
  return at == std::string::npos || at < start ? url : url.substr(0, start) + url.substr(at + 1);
}

struct LocalFolder {
  fs::path git_dir;  // Holds the objects.
  std::string head;  // The HEAD of a linked work tree, which has its own; else "".
};

Result<LocalFolder> FindGitFolder(const fs::path& path) {
  std::error_code error;
  const auto is_repository = [&](const fs::path& folder) {
    return fs::is_directory(folder / "objects", error) &&
           (fs::exists(folder / "HEAD", error) || fs::is_directory(folder / "refs", error));
  };
  if (!fs::exists(path, error)) {
    return Status(ErrorCode::kNotFound, "there is no such folder");
  }
  if (fs::is_directory(path / ".git", error) && is_repository(path / ".git")) {
    return LocalFolder{path / ".git", ""};
  }
  const fs::path link = fs::is_regular_file(path, error) ? path : path / ".git";
  if (fs::is_regular_file(link, error)) {
    const std::string text = Trimmed(Head(link, 8192));
    if (text.starts_with("gitdir:")) {
      const fs::path own = link.parent_path() / Trimmed(text.substr(7));
      const std::string shared = Trimmed(Head(own / "commondir", 8192));
      if (shared.empty() && is_repository(own)) return LocalFolder{own, ""};
      const fs::path common = own / shared;
      std::string head = Trimmed(Head(own / "HEAD", 8192));
      if (head.starts_with("ref:")) head = Trimmed(head.substr(4));
      if (!shared.empty() && is_repository(common)) return LocalFolder{common, head};
    }
  }
  if (is_repository(path)) return LocalFolder{path, ""};
  return Status(ErrorCode::kNotFound, "it is not a Git repository");
}

// Sets the commit that `revision` names. `chosen`: whether the user wrote the revision down.
Status FindCommit(const CommitReader& read_commit, const std::string& revision, bool chosen,
                  ResolvedSource* source) {
  Result<std::string> commit = read_commit(source->git_dir, revision);
  if (commit.ok()) {
    source->commit = *std::move(commit);
    return Status::Ok();
  }
  const ErrorCode code = commit.status().code();
  const bool damaged = code == ErrorCode::kCorrupt || code == ErrorCode::kUsage;
  if (!damaged && (chosen || code != ErrorCode::kNotFound)) return commit.status();
  source->trouble = commit.status().message();
  return Status::Ok();
}

Result<ResolvedSource> ResolveLocal(const SourceSpec& spec, const CommitReader& read_commit) {
  KM_ASSIGN(const LocalFolder folder, FindGitFolder(spec.git));
  ResolvedSource source;
  std::error_code error;
  source.git_dir = fs::weakly_canonical(folder.git_dir, error).string();
  source.url = spec.url.empty() ? RemoteOrigin(folder.git_dir) : spec.url;
  // The remote's address is untrusted, because it comes from the repository.
  if (spec.url.empty() && (!IsUrl(source.url) || Printable(source.url) != source.url)) {
    source.url = "urn:local:" + Printable(LocalName(spec.git));
  }
  const std::string revision = spec.revision.empty() ? folder.head : spec.revision;
  KM_RETURN_IF_ERROR(FindCommit(read_commit, revision, !spec.revision.empty(), &source));
  return source;
}

// The commit that a spec names; "" when it names a branch or tag.
std::string NamedCommit(const SourceSpec& spec) {
  if (!spec.commit.empty()) return spec.commit;
  const bool is_commit = spec.revision.size() == 40 &&
                         spec.revision.find_first_not_of("0123456789abcdef") == std::string::npos;
  return is_commit ? spec.revision : "";
}

// The source of a URL without using the network: its commit is empty unless the spec names a commit
// that the cache has.
ResolvedSource LookUpUrl(const SourceSpec& spec, const std::string& cache_dir,
                         const CommitReader& read_commit) {
  ResolvedSource source;
  source.url = spec.url.empty() ? spec.git : spec.url;
  source.git_dir = (fs::path(cache_dir) / spec.CacheName()).string();
  const std::string named = NamedCommit(spec);
  std::error_code error;
  if (!named.empty() && fs::exists(source.git_dir, error) &&
      read_commit(source.git_dir, named).ok()) {
    source.commit = named;
  }
  return source;
}

Result<ResolvedSource> ResolveUrl(const SourceSpec& spec, const std::string& cache_dir,
                                  const CommitReader& read_commit) {
  ResolvedSource source = LookUpUrl(spec, cache_dir, read_commit);
  if (!source.commit.empty()) return source;
  Status fetched(ErrorCode::kNotFound, "");
  if (!spec.commit.empty()) fetched = FetchBare(spec.git, spec.commit, source.git_dir);
  if (fetched.code() == ErrorCode::kNotFound || fetched.code() == ErrorCode::kCorrupt) {
    fetched = FetchBare(spec.git, spec.revision, source.git_dir);
  }
  if (fetched.code() == ErrorCode::kCorrupt) {
    source.trouble = fetched.message();
    return source;
  }
  KM_RETURN_IF_ERROR(fetched);
  KM_RETURN_IF_ERROR(FindCommit(read_commit, "FETCH_HEAD", false, &source));
  return source;
}

// Refuses a spec that the git program could take for an option or a remote helper.
Status Refuse(const SourceSpec& spec) {
  if (spec.git.empty() || spec.git.starts_with('-') || spec.revision.starts_with('-')) {
    return Status(ErrorCode::kConfig,
                  "a repository or revision may not be empty or start with '-'");
  }
  if (!IsUrl(spec.git) && spec.git.find("::") != std::string::npos) {
    return Status(ErrorCode::kConfig, "remote helpers (name::address) are refused");
  }
  return Status::Ok();
}

std::string Describe(const SourceSpec& spec) { return "source '" + spec.git + "'"; }

}  // namespace

std::string SourceSpec::CacheName() const {
  return Sha256().Field(git).Field(revision).Finish().Hex().substr(0, 32) + ".git";
}

bool IsUrl(const std::string& git) {
  for (const char* scheme : {"https://", "http://", "ssh://", "git://", "file://"}) {
    if (git.starts_with(scheme)) return true;
  }
  const auto colon = git.find(':');
  return colon != std::string::npos && git.find('@') < colon &&
         git.substr(0, colon).find('/') == std::string::npos;
}

Result<std::string> ReadCommit(const std::string& git_dir, const std::string& revision) {
  KM_ASSIGN(const GitRepository repository, GitRepository::Open(git_dir));
  return repository.ResolveCommit(revision);
}

Result<ResolvedSource> Resolve(const SourceSpec& spec, const std::string& cache_dir,
                               const CommitReader& read_commit) {
  KM_RETURN_IF_ERROR(Refuse(spec).Within(Describe(spec)));
  Result<ResolvedSource> source =
      IsUrl(spec.git) ? ResolveUrl(spec, cache_dir, read_commit) : ResolveLocal(spec, read_commit);
  if (!source.ok()) return source.status().Within(Describe(spec));
  source->url = WithoutCredentials(source->url);
  return source;
}

Result<std::optional<ResolvedSource>> ResolveOffline(const SourceSpec& spec,
                                                     const std::string& cache_dir,
                                                     const CommitReader& read_commit) {
  KM_RETURN_IF_ERROR(Refuse(spec).Within(Describe(spec)));
  if (!IsUrl(spec.git)) {
    KM_ASSIGN(ResolvedSource source, Resolve(spec, cache_dir, read_commit));
    return std::optional(std::move(source));
  }
  ResolvedSource source = LookUpUrl(spec, cache_dir, read_commit);
  if (source.commit.empty()) return std::optional<ResolvedSource>();
  source.url = WithoutCredentials(source.url);
  return std::optional(std::move(source));
}

}  // namespace kernelmill
