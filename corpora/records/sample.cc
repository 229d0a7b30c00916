#include "corpora/records/sample.h"

#include "corpora/kernel_backend.h"
#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr int kVersion = 1;

Json::Array MessagesJson(const std::vector<Message>& messages) {
  Json::Array array;
  for (const Message& message : messages) array.push_back(message.ToJson());
  return array;
}

}  // namespace

Origin Sample::SampledOrigin() const {
  Origin origin;
  origin.model = model;
  origin.sampling = sampling.Dump();
  if (!prompt.empty()) origin.prompt = DigestOf(Json(MessagesJson(prompt)).Dump()).Hex();
  return origin;
}

Json Sample::ToJson() const {
  Json::Object json{{"v", kVersion},
                      {"task", task.Hex()},
                      {"backend", backend},
                      {"model", model},
                      {"sampling", sampling},
                      {"turn", turn},
                      {"prompt", MessagesJson(prompt)},
                      {"message", message},
                      {"code_only", code_only},
                      {"reasoning", reasoning},
                      {"cut", cut}};
  if (repairs) json["repairs"] = repairs->Hex();
  return json;
}

Result<Sample> Sample::FromJson(const Json& json) {
  Sample read;
  JsonFields fields(json, "sample");
  fields.Version(kVersion);
  fields.Read("task", &read.task);
  fields.Read("backend", &read.backend);
  fields.Read("model", &read.model);
  fields.Read("sampling", &read.sampling);
  fields.Read("turn", &read.turn);
  fields.ReadArray("prompt", &read.prompt, Message::FromJson);
  fields.Read("message", &read.message);
  fields.Read("code_only", &read.code_only);
  fields.Read("reasoning", &read.reasoning);
  fields.Read("cut", &read.cut);
  if (fields.Has("repairs")) fields.Read("repairs", &read.repairs.emplace());
  KM_RETURN_IF_ERROR(fields.Finish());
  KM_RETURN_IF_ERROR(CheckBackendName("sample", read.backend));
  if (read.model.empty() || !read.sampling.is_object()) {
    return Status(ErrorCode::kCorrupt, "sample: it names no model, or no sampling parameters");
  }
  return read;
}

}  // namespace kernelmill
