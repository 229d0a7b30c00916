#include "stages/render/render_step.h"

#include <algorithm>
#include <map>

#include "corpora/records/row_attributes.h"
#include "corpora/token_estimate.h"
#include "stages/render/renderer.h"
#include "stages/render/split.h"
#include "stages/untrusted/untrusted_lane.h"

namespace kernelmill {
namespace {

// The id of the subject that a record is about. A task or kernel is its own subject; every other
// record names its subject as the first input of its last derivation.
Result<Digest> SubjectOf(const Record& record) {
  if (RendererOf(record.kind) != nullptr) return record.ContentId();
  if (record.lineage.empty() || record.lineage.back().inputs.empty()) {
    return Status(ErrorCode::kInternal, "a record that is about nothing");
  }
  return record.lineage.back().inputs.front();
}

std::string EncodeAll(const std::map<Digest, Record>& records) {
  Json::Array array;
  for (const auto& [id, record] : records) array.emplace_back(record.Encode());
  return Json(std::move(array)).Dump();
}

}  // namespace

std::vector<ConfigKey> RenderKeys() {
  return {
      {"render.validation_share", ConfigType::kNumber, 0.05, "",
       "The part of all source files whose rows are for validation; all rows of one file fall "
       "on one side.",
       kPart},
      {"render.split_salt", ConfigType::kString, "kernelmill", "",
       "Salts the hash that divides training from validation; another salt, another division."}};
}

RenderStep::RenderStep(const Config& config, std::string child_program)
    : child_program_(std::move(child_program)),
      seed_(config.Integer("seed")),
      split_salt_(config.String("render.split_salt")),
      validation_share_(config.Number("render.validation_share")) {
  parameters_ = Json::Object{{"seed", seed_},
                             {"render.split_salt", split_salt_},
                             {"render.validation_share", validation_share_}};
}

Run::Propose RenderStep::Inputs(const Run& run, std::vector<std::string> steps,
                                const OriginFilter& wanted) {
  return [&run, steps = std::move(steps), wanted](const Run::Emit& emit) -> Status {
    for (const std::string& step : steps) {
      KM_RETURN_IF_ERROR(
          run.ForEachOutput(step, [&](std::string_view, std::string_view body) -> Status {
            KM_ASSIGN(const Record record, Record::Decode(body));
            if (wanted && !wanted(record.origins)) return Status::Ok();
            KM_ASSIGN(const Digest subject, SubjectOf(record));
            return emit(std::string(subject.AsKey()), Json(Json::Array{body}).Dump());
          }));
    }
    return Status::Ok();
  };
}

Result<std::vector<Record>> RenderStep::RecordsIn(std::string_view body) {
  KM_ASSIGN(const Json json, Json::Parse(body));
  std::vector<Record> records;
  for (const Json& item : json.as_array()) {
    KM_ASSIGN(Record record, Record::Decode(item.as_string()));
    records.push_back(std::move(record));
  }
  return records;
}

Result<std::string> RenderStep::Merge(std::string_view a, std::string_view b) {
  std::map<Digest, Record> merged;
  for (std::string_view body : {a, b}) {
    KM_ASSIGN(std::vector<Record> records, RecordsIn(body));
    for (Record& record : records) {
      const Digest id = record.ContentId();
      const auto [at, inserted] = merged.emplace(id, record);
      if (!inserted) at->second.Merge(record);
    }
  }
  return EncodeAll(merged);
}

Result<std::unique_ptr<Lane>> RenderStep::OpenLane() {
  return std::unique_ptr<Lane>(std::make_unique<UntrustedLane>(child_program_));
}

Result<Outcome> RenderStep::Process(const Input& input, Lane& lane) {
  KM_ASSIGN(std::vector<Record> records, RecordsIn(input.body));
  const auto subject = std::find_if(records.begin(), records.end(), [](const Record& record) {
    return RendererOf(record.kind) != nullptr;
  });
  if (subject == records.end()) {
    return Status(ErrorCode::kInternal, "render: records about a subject that is not among them");
  }
  const std::string split = SplitOf(*subject, split_salt_, validation_share_);
  const RenderInput about = {records, *subject, seed_, split == "validation"};
  KM_ASSIGN(Rendering rendering,
            RendererOf(subject->kind)->render(about, static_cast<UntrustedLane&>(lane).child));
  if (!rendering.reason.empty()) {
    Outcome outcome =
        Outcome::Reject(rendering.reason, rendering.detail, std::move(rendering.original));
    outcome.origins = subject->origins;
    return outcome;
  }
  Record row;
  row.kind = RecordKind::kTraining;
  row.origins = subject->origins;
  row.licences = subject->licences;
  row.lineage.push_back({.step = std::string(Name()),
                         .version = Version(),
                         .parameters = DigestOf(parameters_.Dump())});
  std::vector<Output> outputs;
  std::map<std::string, std::int64_t> families;
  if (rendering.rows.empty()) families["without_rows"] = 1;
  for (WrittenRow& written : rendering.rows) {
    const TrainingRecord& text = written.training;
    const TokenEstimate tokens = EstimateTokens(text);
    row.payload = text.ToJson();
    row.attributes = RowAttributes{.split = split,
                                   .prompt_tokens = tokens.prompt,
                                   .answer_tokens = tokens.answer,
                                   .weight = written.weight,
                                   .difficulty_static = written.difficulty,
                                   .curriculum_stage = text.CurriculumStage()}
                         .ToJson();
    row.lineage.back().inputs = std::move(written.inputs);
    outputs.push_back({std::string(row.ContentId().AsKey()), row.Encode()});
    ++families["rows." + std::string(FamilyName(text.family))];
  }
  for (const Record& record : records) {
    outputs.push_back({std::string(record.ContentId().AsKey()), record.Encode()});
  }
  Outcome outcome = Outcome::Keep(std::move(outputs));
  outcome.origins = subject->origins;
  for (RejectedRow& rejected : rendering.rejected_rows) {
    std::string bytes = rejected.training.ToJson().Dump();
    const std::string key(DigestOf(bytes).AsKey());
    outcome.rejected_parts.push_back(
        {key, std::move(rejected.reason), std::move(rejected.detail), std::move(bytes)});
  }
  outcome.counters.assign(families.begin(), families.end());
  return outcome;
}

}  // namespace kernelmill
