#include "stages/fetch/commit_reader.h"

namespace kernelmill {

Result<FoundCommit> FindCommitIn(const GitRepository& repository, const CommitQuestion& question) {
  FoundCommit found;
  if (question.before == 0) {
    KM_ASSIGN(found.id, repository.ResolveCommit(question.revision));
  } else {
    KM_ASSIGN(found.id,
              repository.LastCommitBefore(question.revision, question.before, &found.there));
  }
  return found;
}

Result<FoundCommit> ReadCommit(const CommitQuestion& question) {
  KM_ASSIGN(const GitRepository repository, GitRepository::Open(question.git_dir));
  return FindCommitIn(repository, question);
}

}  // namespace kernelmill
