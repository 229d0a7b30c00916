// Reading one Git repository that nobody vouches for. The only place that knows libgit2.
//
// Errors tell what is wrong with the repository, and the caller decides whether that is a reject:
// kNotFound for an object or revision that is not there (partial clones), kCorrupt for one that Git
// cannot read, kUsage for a repository that reaches outside its own folder.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "manifests/status.h"

struct git_repository;
struct git_odb;

namespace kernelmill {

enum class TreeEntryKind { kFile, kSymlink, kSubmodule, kFolder };

struct TreeEntry {
  TreeEntryKind kind = TreeEntryKind::kFile;
  std::string path;  // From the root, '/'-separated; any bytes that Git allows in a name.
  std::string id;    // 40 hexadecimal digits.
};

struct WalkLimits {
  // Entries of every kind, folders too. A repository of 44 KB can name 10^10 paths.
  std::int64_t entries = 2'000'000;
  int depth = 64;
};

// Not thread-safe: one object a thread.
class GitRepository {
 public:
  // `git_dir` is a bare repository, or the .git folder of another one. Its own configuration, the
  // user's and the system's are not read; alternates and symbolic links to elsewhere are refused.
  static Result<GitRepository> Open(const std::string& git_dir);

  // The commit that `revision` (a branch, tag, or hexadecimal id) names; "" is HEAD.
  Result<std::string> ResolveCommit(const std::string& revision) const;

  // Visits every entry under the commit's tree in path order. `visit` may return an error to stop.
  // A subtree that cannot be read, or lies deeper than the limit, is reported as a kFolder entry
  // with its trouble and then passed over; readable folders are not reported. Returns kBudget, and
  // visits nothing, when there are more entries than allowed.
  using Visit = std::function<Status(const TreeEntry& entry, const Status& trouble)>;
  Status Walk(const std::string& commit, const WalkLimits& limits, const Visit& visit) const;

  // The size in bytes, without inflating the object.
  Result<std::int64_t> BlobSize(const std::string& id) const;
  Result<std::string> ReadBlob(const std::string& id) const;

 private:
  struct Free {
    void operator()(git_repository* repository) const;
    void operator()(git_odb* database) const;
  };
  std::unique_ptr<git_repository, Free> repository_;
  std::unique_ptr<git_odb, Free> database_;
};

}  // namespace kernelmill
