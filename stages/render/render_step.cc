#include "stages/render/render_step.h"

#include <algorithm>
#include <map>

#include "generators/shape_reasoning.h"
#include "stages/render/split.h"

namespace kernelmill {
namespace {

// What a record is about: a task or kernel is its own subject, anything else names it first in its
// last derivation.
Result<Digest> SubjectOf(const Record& record) {
  if (record.kind == RecordKind::kTask || record.kind == RecordKind::kKernel) {
    return record.ContentId();
  }
  if (record.lineage.empty() || record.lineage.back().inputs.empty()) {
    return Status(ErrorCode::kInternal, "a record that is about nothing");
  }
  return record.lineage.back().inputs.front();
}

Result<std::vector<Record>> DecodeAll(std::string_view body) {
  KM_ASSIGN(const Json json, Json::Parse(body));
  std::vector<Record> records;
  for (const Json& item : json.as_array()) {
    KM_ASSIGN(Record record, Record::Decode(item.as_string()));
    records.push_back(std::move(record));
  }
  return records;
}

std::string EncodeAll(const std::map<Digest, Record>& records) {
  Json::Array array;
  for (const auto& [id, record] : records) array.emplace_back(record.Encode());
  return Json(std::move(array)).Dump();
}

}  // namespace

std::vector<ConfigKey> RenderKeys() {
  return {{"render.validation_share", ConfigType::kNumber, 0.05, "",
           "The part of all source files whose rows are for validation; all rows of one file fall "
           "on one side."},
          {"render.split_salt", ConfigType::kString, "kernelmill", "",
           "Salts the hash that divides training from validation; another salt, another division."}};
}

RenderStep::RenderStep(const Config& config)
    : seed_(config.Integer("seed")),
      split_salt_(config.String("render.split_salt")),
      validation_share_(config.Number("render.validation_share")) {
  parameters_ = Json::Object{{"seed", seed_},
                             {"render.split_salt", split_salt_},
                             {"render.validation_share", validation_share_}};
}

Run::Propose RenderStep::Inputs(const Run& run, std::vector<std::string> steps) {
  return [&run, steps = std::move(steps)](const Run::Emit& emit) -> Status {
    for (const std::string& step : steps) {
      KM_RETURN_IF_ERROR(
          run.ForEachOutput(step, [&](std::string_view, std::string_view body) -> Status {
            KM_ASSIGN(const Record record, Record::Decode(body));
            KM_ASSIGN(const Digest subject, SubjectOf(record));
            return emit(std::string(subject.AsKey()), Json(Json::Array{body}).Dump());
          }));
    }
    return Status::Ok();
  };
}

Result<std::string> RenderStep::Merge(std::string_view a, std::string_view b) {
  std::map<Digest, Record> merged;
  for (std::string_view body : {a, b}) {
    KM_ASSIGN(std::vector<Record> records, DecodeAll(body));
    for (Record& record : records) {
      const Digest id = record.ContentId();
      const auto [at, inserted] = merged.emplace(id, record);
      if (!inserted) at->second.Merge(record);
    }
  }
  return EncodeAll(merged);
}

Result<Outcome> RenderStep::Process(const Input& input, Lane&) {
  KM_ASSIGN(std::vector<Record> records, DecodeAll(input.body));
  const auto of_kind = [&](RecordKind kind) {
    return std::find_if(records.begin(), records.end(),
                        [&](const Record& record) { return record.kind == kind; });
  };
  const auto task_record = of_kind(RecordKind::kTask);
  const auto annotation_record = of_kind(RecordKind::kAnnotation);
  if (task_record == records.end() || annotation_record == records.end()) {
    return Status(ErrorCode::kInternal, "render: a task without its annotation");
  }
  KM_ASSIGN(const Task task, Task::FromJson(task_record->payload));
  KM_ASSIGN(const Annotation annotation, Annotation::FromJson(annotation_record->payload));
  const Digest task_id = task_record->ContentId();
  const std::optional<TrainingRecord> text =
      WriteShapeReasoning(task_id, task, annotation, seed_);
  if (!text) {
    Outcome outcome = Outcome::Reject("nothing_to_teach", "no value along forward()", task.code);
    outcome.origins = task_record->origins;
    return outcome;
  }
  Record row;
  row.kind = RecordKind::kTraining;
  row.payload = text->ToJson();
  row.attributes["split"] = SplitOf(task_record->origins, split_salt_, validation_share_);
  row.origins = task_record->origins;
  row.licences = task_record->licences;
  row.lineage.push_back({.step = std::string(Name()),
                         .version = Version(),
                         .parameters = DigestOf(parameters_.Dump()),
                         .inputs = {task_id, annotation_record->ContentId()}});
  records.push_back(std::move(row));
  std::vector<Output> outputs;
  for (const Record& record : records) {
    outputs.push_back({std::string(record.ContentId().AsKey()), record.Encode()});
  }
  return Outcome::Keep(std::move(outputs));
}

}  // namespace kernelmill
