#include "stages/warm/warm_request.h"

#include <utility>

#include "manifests/json_bytes.h"
#include "manifests/json_fields.h"

namespace kernelmill {

std::string WarmRequest::Text() const {
  return Json(Json::Object{{"judging", choice.ToJson()},
                           {"secret", choice.secret},
                           {"reference", JsonOfBytes(reference)},
                           {"code", code ? Json(JsonOfBytes(*code)) : Json()},
                           {"renew", renew},
                           {"stay_minutes", static_cast<std::int64_t>(stay.count())}})
      .Dump();
}

Result<WarmRequest> WarmRequest::Parse(std::string_view text) {
  KM_ASSIGN(const Json json, Json::Parse(text));
  WarmRequest request;
  std::int64_t minutes = 0;
  Json code;
  std::string secret;
  JsonFields fields(json, "request");
  fields.ReadValue("judging", &request.choice, JudgingChoice::FromJson);
  fields.Read("secret", &secret);
  fields.ReadValue("reference", &request.reference, BytesOfJson);
  fields.Read("code", &code);
  fields.Read("renew", &request.renew);
  fields.Read("stay_minutes", &minutes);
  KM_RETURN_IF_ERROR(fields.Finish());
  if (!code.is_null()) {
    KM_ASSIGN(request.code, BytesOfJson(code));
  }
  request.choice.secret = std::move(secret);
  request.stay = std::chrono::minutes(minutes);
  return request;
}

std::string WarmReplyText(const Result<Verdict>& judged) {
  if (judged.ok()) return Json(Json::Object{{"verdict", judged->ToJson()}}).Dump();
  return Json(Json::Object{{"error", static_cast<std::int64_t>(judged.status().code())},
                           {"message", JsonOfBytes(judged.status().message())}})
      .Dump();
}

Result<Verdict> ParseWarmReply(std::string_view text) {
  KM_ASSIGN(const Json json, Json::Parse(text));
  JsonFields fields(json, "reply");
  if (fields.Has("verdict")) {
    Verdict verdict;
    fields.ReadValue("verdict", &verdict, Verdict::FromJson);
    KM_RETURN_IF_ERROR(fields.Finish());
    return verdict;
  }
  std::int64_t error = 0;
  std::string message;
  fields.Read("error", &error);
  fields.ReadValue("message", &message, BytesOfJson);
  KM_RETURN_IF_ERROR(fields.Finish());
  if (error <= 0 || error > static_cast<std::int64_t>(ErrorCode::kInternal)) {
    return Status(ErrorCode::kCorrupt, "a reply has an unknown error");
  }
  return Status(static_cast<ErrorCode>(error), std::move(message));
}

}  // namespace kernelmill
