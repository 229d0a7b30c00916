#include "corpora/records/training_record.h"

#include <algorithm>

#include "corpora/kernel_backend.h"
#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr int kVersion = 4;

struct FamilyRow {
  Family family;
  std::string_view name;
  int stage;  // For rows without full reasoning; full reasoning makes it at least 2.
};

constexpr FamilyRow kFamilyRows[] = {
    {Family::kTranslate, "translate", 1}, {Family::kShapeReasoning, "shape_reasoning", 2},
    {Family::kKnowledge, "knowledge", 1}, {Family::kAnalyze, "analyze", 3},
    {Family::kOptimize, "optimize", 3},   {Family::kPort, "port", 1},
    {Family::kReview, "review", 3},       {Family::kRepair, "repair", 3},
    {Family::kTest, "test", 1},
};

const FamilyRow& RowOf(Family family) {
  for (const FamilyRow& row : kFamilyRows) {
    if (row.family == family) return row;
  }
  return kFamilyRows[0];
}

}  // namespace

std::string_view FamilyName(Family family) { return RowOf(family).name; }

Result<Family> FamilyFromName(std::string_view name) {
  for (const FamilyRow& row : kFamilyRows) {
    if (row.name == name) return row.family;
  }
  return Status(ErrorCode::kCorrupt, "unknown family '" + std::string(name) + "'");
}

const std::vector<Family>& AllFamilies() {
  static const std::vector<Family> kFamilies = [] {
    std::vector<Family> families;
    for (const FamilyRow& row : kFamilyRows) families.push_back(row.family);
    return families;
  }();
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

int TrainingRecord::CurriculumStage() const {
  const int stage = RowOf(family).stage;
  if (n_turns > 1) return 3;
  return reasoning == kReasoningFull ? std::max(stage, 2) : stage;
}

Json TrainingRecord::ToJson() const {
  Json::Array array;
  for (const Message& message : messages) array.push_back(message.ToJson());
  return Json::Object{{"v", kVersion},
                      {"family", FamilyName(family)},
                      {"backend", backend},
                      {"prompt_template", prompt_template},
                      {"task_id", task_id.Hex()},
                      {"candidate", candidate},
                      {"reasoning", reasoning},
                      {"reasoning_author", reasoning_author},
                      {"perf_evidence", perf_evidence},
                      {"estimated_speed", estimated_speed},
                      {"trajectory_id", trajectory_id},
                      {"turn", turn},
                      {"n_turns", n_turns},
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
  fields.Read("task_id", &record.task_id);
  fields.Read("candidate", &record.candidate);
  fields.Read("reasoning", &record.reasoning);
  fields.Read("reasoning_author", &record.reasoning_author);
  fields.Read("perf_evidence", &record.perf_evidence);
  fields.Read("estimated_speed", &record.estimated_speed);
  fields.Read("trajectory_id", &record.trajectory_id);
  fields.Read("turn", &record.turn);
  fields.Read("n_turns", &record.n_turns);
  fields.ReadArray("messages", &record.messages, Message::FromJson);
  KM_RETURN_IF_ERROR(fields.Finish());
  if (record.backend != kPytorch) {
    KM_RETURN_IF_ERROR(CheckBackendName("training record", record.backend));
  }
  KM_ASSIGN(record.family, FamilyFromName(family));
  return record;
}

}  // namespace kernelmill
