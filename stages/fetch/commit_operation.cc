#include "stages/fetch/commit_operation.h"

namespace kernelmill {
namespace {

UntrustedReply Commit(const Json& request, OpenRepository& repositories) {
  const Result<GitRepository*> repository = repositories.At(request.TextAt("git_dir"));
  if (!repository.ok()) {
    return UntrustedReply::Reject(ReasonNotOpened(repository.status()),
                                  repository.status().message(), "");
  }
  Result<std::string> commit = (*repository)->ResolveCommit(request.TextAt("revision"));
  if (!commit.ok()) {
    return UntrustedReply::Reject(ReasonOf(commit.status()), commit.status().message(), "");
  }
  return UntrustedReply::Keep(*std::move(commit));
}

}  // namespace

const UntrustedOperation kCommitOperation = {"commit", Commit};

CommitReader ReadCommitsIn(UntrustedChild& child) {
  return [&child](const std::string& git_dir, const std::string& revision) -> Result<std::string> {
    KM_ASSIGN(UntrustedReply reply,
              child.Ask(kCommitOperation, {{"git_dir", git_dir}, {"revision", revision}}));
    if (reply.reason.empty()) return std::move(reply.body);
    return Status(reply.reason == "missing_object" ? ErrorCode::kNotFound : ErrorCode::kCorrupt,
                  reply.detail);
  };
}

}  // namespace kernelmill
