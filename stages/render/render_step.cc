#include "stages/render/render_step.h"

#include <algorithm>
#include <map>

#include "corpora/benchmark_table.h"
#include "corpora/records/row_attributes.h"
#include "corpora/token_estimate.h"
#include "stages/engine/subject_records.h"
#include "stages/render/renderer.h"
#include "stages/render/split.h"
#include "stages/untrusted/untrusted_lane.h"

namespace kernelmill {

std::vector<ConfigKey> RenderKeys() {
  return {{"render.validation_share", ConfigType::kNumber, 0.05, "",
           "The share of source files whose rows form the validation split. All rows of one file "
           "are in "
           "the same split.",
           kFraction},
          {"render.split_salt", ConfigType::kString, "kernelmill", "",
           "The salt of the hash that assigns files to splits. Another salt gives another "
           "assignment."}};
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

Result<std::unique_ptr<Lane>> RenderStep::OpenLane() {
  return std::unique_ptr<Lane>(std::make_unique<UntrustedLane>(child_program_));
}

Result<Outcome> RenderStep::Process(const Input& input, Lane& lane) {
  KM_ASSIGN(std::vector<Record> records, ReadSubjectRecords(input.body));
  const auto subject = std::find_if(records.begin(), records.end(),
                                    [](const Record& record) { return IsSubject(record.kind); });
  if (subject == records.end()) {
    return Status(ErrorCode::kInternal, "render: the subject of these records is not among them");
  }
  const std::string split = SplitOf(*subject, split_salt_, validation_share_);
  const RenderInput about = {records, *subject, seed_, split == "validation"};
  KM_ASSIGN(Rendering rendering,
            RendererOf(subject->kind)->render(about, static_cast<UntrustedLane&>(lane).child));
  if (!rendering.reason.empty()) {
    Outcome outcome =
        Outcome::Reject(rendering.reason, rendering.detail, std::move(rendering.quarantined_text));
    outcome.origins = subject->origins;
    return outcome;
  }
  Record row;
  row.kind = RecordKind::kTraining;
  row.lineage.push_back({.step = std::string(Name()),
                         .version = Version(),
                         .parameters = DigestOf(parameters_.Dump())});
  const bool contaminated = subject->attributes.contains(kProtectedAttribute);
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
                                   .curriculum_stage = text.CurriculumStage(),
                                   .pool_id = written.pool_id,
                                   .cluster_id = written.cluster_id,
                                   .contaminated = contaminated}
                         .ToJson();
    row.lineage.back().inputs = std::move(written.inputs);
    row.origins = subject->origins;
    Unite(&row.origins, written.origins);
    row.licences = subject->licences;
    Unite(&row.licences, written.licences);
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
    outcome.rejected_items.push_back(
        {key, std::move(rejected.reason), std::move(rejected.detail), std::move(bytes)});
  }
  outcome.counters.assign(families.begin(), families.end());
  return outcome;
}

}  // namespace kernelmill
