#include "stages/fetch/commit_operation.h"

#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

UntrustedReply Commit(const Json& request, OpenRepository& repositories) {
  const CommitQuestion question = {.git_dir = request.TextAt("git_dir"),
                                   .revision = request.TextAt("revision"),
                                   .before = request.IntegerAt("before")};
  const Result<GitRepository*> repository = repositories.At(question.git_dir);
  if (!repository.ok()) {
    return UntrustedReply::Reject(ReasonNotOpened(repository.status()),
                                  repository.status().message(), "");
  }
  const Result<FoundCommit> found = FindCommitIn(**repository, question);
  if (!found.ok()) {
    return UntrustedReply::Reject(ReasonOf(found.status()), found.status().message(), "");
  }
  return UntrustedReply::Keep(
      Json(Json::Object{{"commit", found->id}, {"there", found->there}}).Dump());
}

}  // namespace

const UntrustedOperation kCommitOperation = {"commit", Commit};

CommitReader ReadCommitsIn(UntrustedChild& child) {
  return [&child](const CommitQuestion& question) -> Result<FoundCommit> {
    KM_ASSIGN(const UntrustedReply reply,
              child.Ask(kCommitOperation, {{"git_dir", question.git_dir},
                                           {"revision", question.revision},
                                           {"before", question.before}}));
    if (!reply.reason.empty()) {
      return Status(reply.reason == "missing_object" ? ErrorCode::kNotFound : ErrorCode::kCorrupt,
                    reply.detail);
    }
    KM_ASSIGN(const Json json, Json::Parse(reply.body));
    FoundCommit found;
    JsonFields fields(json, "commit");
    fields.Read("commit", &found.id);
    fields.Read("there", &found.there);
    KM_RETURN_IF_ERROR(fields.Finish());
    return found;
  };
}

}  // namespace kernelmill
