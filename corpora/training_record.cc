#include "corpora/training_record.h"

#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr int kVersion = 1;

}  // namespace

std::string_view FamilyName(Family family) {
  switch (family) {
    case Family::kShapeReasoning:
      return "shape_reasoning";
    case Family::kKnowledge:
      return "knowledge";
  }
  return "shape_reasoning";
}

Result<Family> FamilyFromName(std::string_view name) {
  for (Family family : AllFamilies()) {
    if (FamilyName(family) == name) return family;
  }
  return Status(ErrorCode::kCorrupt, "unknown family '" + std::string(name) + "'");
}

const std::vector<Family>& AllFamilies() {
  static const std::vector<Family> kFamilies = {Family::kShapeReasoning, Family::kKnowledge};
  return kFamilies;
}

Json Message::ToJson() const { return Json::Object{{"role", role}, {"content", content}}; }

Result<Message> Message::FromJson(const Json& json) {
  Message message;
  JsonFields fields(json, "message");
  fields.Read("role", &message.role);
  fields.Read("content", &message.content);
  KM_RETURN_IF_ERROR(fields.Finish());
  return message;
}

Json TrainingRecord::ToJson() const {
  Json::Array array;
  for (const Message& message : messages) array.push_back(message.ToJson());
  return Json::Object{{"v", kVersion},
                      {"family", FamilyName(family)},
                      {"backend", backend},
                      {"prompt_template", prompt_template},
                      {"subject", subject.Hex()},
                      {"messages", std::move(array)}};
}

Result<TrainingRecord> TrainingRecord::FromJson(const Json& json) {
  TrainingRecord record;
  std::string family;
  JsonFields fields(json, "training record");
  fields.Version(kVersion);
  fields.Read("family", &family);
  fields.Read("backend", &record.backend);
  fields.Read("prompt_template", &record.prompt_template);
  fields.Read("subject", &record.subject);
  fields.ReadArray("messages", &record.messages, Message::FromJson);
  KM_RETURN_IF_ERROR(fields.Finish());
  KM_ASSIGN(record.family, FamilyFromName(family));
  return record;
}

}  // namespace kernelmill
