#include "stages/untrusted/untrusted_operation.h"

#include <algorithm>

#include "manifests/json_fields.h"

namespace kernelmill {

std::string UntrustedReply::EncodeHead() const {
  return Json(Json::Object{{"reason", reason}, {"detail", detail}, {"rejected", rejected}}).Dump();
}

Result<UntrustedReply> UntrustedReply::Decode(std::string_view head, std::string body) {
  KM_ASSIGN(const Json json, Json::Parse(head));
  UntrustedReply reply;
  JsonFields fields(json, "untrusted reply");
  fields.Read("reason", &reply.reason);
  fields.Read("detail", &reply.detail);
  fields.Read("rejected", &reply.rejected);
  KM_RETURN_IF_ERROR(fields.Finish());
  reply.body = std::move(body);
  return reply;
}

UntrustedReply RunOperation(const UntrustedOperation& operation, const Json& request,
                            OpenRepository& repository) {
  UntrustedReply reply = operation.handle(request, repository);
  if (const std::string folder = request.TextAt("git_dir"); !folder.empty()) {
    for (std::size_t at = 0; (at = reply.detail.find(folder)) != std::string::npos;) {
      reply.detail.erase(at, folder.size());
    }
  }
  return reply;
}

UntrustedReply HandleRequest(std::span<const UntrustedOperation> operations,
                             std::string_view request, OpenRepository& repository) {
  const Result<Json> json = Json::Parse(request);
  if (!json.ok()) return UntrustedReply::Reject("parser_crashed", json.status().message(), "");
  const std::string name = json->TextAt("op");
  const auto operation = std::ranges::find(operations, name, &UntrustedOperation::name);
  if (operation == operations.end()) {
    return UntrustedReply::Reject("parser_crashed", "there is no operation '" + name + "'", "");
  }
  return RunOperation(*operation, *json, repository);
}

std::string ReasonOf(const Status& unreadable) {
  if (unreadable.code() == ErrorCode::kWorker) return std::string(UntrustedReply::kNotRead);
  return unreadable.code() == ErrorCode::kNotFound ? "missing_object" : "corrupt_object";
}

std::string ReasonNotOpened(const Status& unreadable) {
  const bool machine = unreadable.code() == ErrorCode::kWorker;
  return machine ? std::string(UntrustedReply::kNotRead) : "bad_repository";
}

}  // namespace kernelmill
