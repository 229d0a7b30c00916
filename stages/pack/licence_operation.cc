#include "stages/pack/licence_operation.h"

#include "manifests/git_id.h"

namespace kernelmill {
namespace {

UntrustedReply Read(const Json& request, OpenRepository& repositories) {
  const Result<GitRepository*> repository = repositories.At(request.TextAt("git_dir"));
  if (!repository.ok()) {
    return UntrustedReply::Reject(ReasonNotOpened(repository.status()),
                                  repository.status().message(), "");
  }
  Result<std::string> bytes = (*repository)->ReadBlob(request.TextAt("blob"));
  if (!bytes.ok()) {
    return UntrustedReply::Reject(ReasonOf(bytes.status()), bytes.status().message(), "");
  }
  return UntrustedReply::Keep(*std::move(bytes));
}

}  // namespace

const UntrustedOperation kLicenceTextOperation = {"licence_text", Read};

Result<std::string> ReadLicenceText(UntrustedChild& child, const std::string& git_dir,
                                    const std::string& blob) {
  KM_ASSIGN(UntrustedReply reply,
            child.Ask(kLicenceTextOperation, {{"git_dir", git_dir}, {"blob", blob}}));
  if (!reply.reason.empty()) {
    return Status(reply.reason == "missing_object" ? ErrorCode::kNotFound : ErrorCode::kCorrupt,
                  reply.detail);
  }
  if (GitBlobId(reply.body) != blob) {
    return Status(ErrorCode::kCorrupt, "the bytes of object " + blob + " have another Git id");
  }
  return std::move(reply.body);
}

}  // namespace kernelmill
