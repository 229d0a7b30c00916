// Reads one untrusted Git repository, in the processes that fetch and mine sources: resolves a
// revision, walks the tree of a commit, and reads blobs. Only this module and its loose-object
// backend use libgit2.
//
// Errors describe what is wrong with the repository, and the caller decides whether to reject it:
// kNotFound for an object or revision that does not exist, kCorrupt for one that
// Git cannot read, kUsage for a repository that refers to files outside its own folder.
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
  // Entries of every kind, folders included. A repository of 44 KB can name 10^10 paths.
  std::int64_t entries = 2'000'000;
  int depth = 64;
};

// Not thread-safe: use one object per thread.
class GitRepository {
 public:
  // `git_dir` is a bare repository or the .git folder of another one. The configuration of the
  // repository, the user and the system is not read. Alternates and symbolic links that lead
  // outside are refused.
  static Result<GitRepository> Open(const std::string& git_dir);

  // The commit that `revision` (a branch, a tag or a hexadecimal id) names; "" means HEAD.
  Result<std::string> ResolveCommit(const std::string& revision) const;

  // The first commit before the second `end` (since 1970, UTC; by the committer's clock) on the
  // line of first parents from `revision` on. When the line leads to a commit that is not there, as
  // in a shallow repository, this one, and `*there` is false. kNotFound when the line ends before.
  Result<std::string> LastCommitBefore(const std::string& revision, std::int64_t end,
                                       bool* there) const;

  // Of a repository that was fetched without its large files (MarkOmitted): the size in bytes from
  // which on blobs may be missing. 0 for any other one.
  std::int64_t OmitsFrom() const { return omits_from_; }

  // Visits every entry under the commit's tree in path order and stops when `visit` returns an
  // error. A subtree that cannot be read, or is deeper than the limit, is reported as a kFolder
  // entry with its error in `trouble` and then skipped; readable folders are not reported. Returns
  // kBudget without visiting anything when there are more entries than the limit.
  using Visit = std::function<Status(const TreeEntry& entry, const Status& trouble)>;
  Status Walk(const std::string& commit, const WalkLimits& limits, const Visit& visit) const;

  // The size in bytes. The object is not inflated.
  Result<std::int64_t> BlobSize(const std::string& id) const;
  Result<std::string> ReadBlob(const std::string& id) const;

 private:
  struct Free {
    void operator()(git_repository* repository) const;
    void operator()(git_odb* database) const;
  };
  std::unique_ptr<git_repository, Free> repository_;
  std::unique_ptr<git_odb, Free> database_;
  std::int64_t omits_from_ = 0;
};

// Notes in the folder of a fetched repository what OmitsFrom() returns.
Status MarkOmitted(const std::string& git_dir, std::int64_t from);

}  // namespace kernelmill
