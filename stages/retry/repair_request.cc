#include "stages/retry/repair_request.h"

#include "corpora/kernel_backend.h"
#include "manifests/json_fields.h"

namespace kernelmill {

std::string RetryName(const Digest& generation) {
  return generation.Hex().substr(0, kRetryDigits);
}

CustomId RepairRequest::Name() const {
  return {.task = key.task.Hex(),
          .backend = FindKernelBackend(key.backend),
          .turn = kRepairTurn,
          .retry = retry};
}

Json RepairRequest::ToJson() const {
  Json::Array texts;
  for (const Message& message : messages) texts.push_back(message.ToJson());
  return Json::Object{{"custom_id", Name().Text()},
                      {"task", key.task.Hex()},
                      {"backend", key.backend},
                      {"retry", retry},
                      {"sample", sample.Hex()},
                      {"slot", slot},
                      {"prompt_template", prompt_template},
                      {"messages", std::move(texts)}};
}

Result<RepairRequest> RepairRequest::FromJson(const Json& json) {
  RepairRequest request;
  std::string custom_id;
  JsonFields fields(json, "repair prompt");
  fields.Read("custom_id", &custom_id);
  fields.Read("task", &request.key.task);
  fields.Read("backend", &request.key.backend);
  fields.Read("retry", &request.retry);
  fields.Read("sample", &request.sample);
  fields.Read("slot", &request.slot);
  fields.Read("prompt_template", &request.prompt_template);
  fields.ReadArray("messages", &request.messages, Message::FromJson);
  KM_RETURN_IF_ERROR(fields.Finish());
  KM_RETURN_IF_ERROR(CheckBackendName("repair prompt", request.key.backend));
  if (custom_id != request.Name().Text()) {
    return Status(ErrorCode::kCorrupt, "repair prompt: custom_id is not that of its task");
  }
  return request;
}

}  // namespace kernelmill
