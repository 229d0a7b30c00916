// How commits are found in a repository on this machine. Resolve() (source.h) takes it as an
// argument: a repository is untrusted input, so that a run reads it in a confined child
// (commit_operation.h).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "corpora/git/git_repository.h"
#include "manifests/status.h"

namespace kernelmill {

struct CommitQuestion {
  std::string git_dir;
  std::string revision;  // "" is HEAD.
  // The last commit before this second (since 1970, UTC) on the line of first parents; 0 for the
  // commit that `revision` names itself.
  std::int64_t before = 0;
};

struct FoundCommit {
  std::string id;     // 40 hexadecimal digits.
  bool there = true;  // Only with `before`: false for a commit that the repository lacks.
};

// kNotFound when there is no such commit, kCorrupt for a damaged repository.
using CommitReader = std::function<Result<FoundCommit>(const CommitQuestion& question)>;

// The answer, in a repository that is open.
Result<FoundCommit> FindCommitIn(const GitRepository& repository, const CommitQuestion& question);
// Opens the repository and reads in this process; only for repositories of our own making.
Result<FoundCommit> ReadCommit(const CommitQuestion& question);

}  // namespace kernelmill
