#include "stages/mix/mix_rows.h"

#include <algorithm>

#include "corpora/kernel_backend.h"
#include "corpora/operators/called_name.h"
#include "corpora/records/candidate.h"
#include "corpora/records/row_attributes.h"

namespace kernelmill {
namespace {

bool IsElementwise(OperatorFamily family) {
  switch (family) {
    case OperatorFamily::kActivation:
    case OperatorFamily::kElementwise:
    case OperatorFamily::kComparison:
    case OperatorFamily::kSelection:
    case OperatorFamily::kCast:
    case OperatorFamily::kCreation:
    case OperatorFamily::kShape:
      return true;
    default:
      return false;
  }
}

bool IsElementwiseCall(const OperatorCall& call) {
  const std::vector<const OperatorRow*>& rows = RowsCalled(call.name);
  return !rows.empty() && std::all_of(rows.begin(), rows.end(), [](const OperatorRow* row) {
    return IsElementwise(row->family);
  });
}

}  // namespace

bool IsElementwiseOnly(const Annotation& annotation) {
  return !annotation.operators.empty() && !annotation.truncated &&
         std::all_of(annotation.operators.begin(), annotation.operators.end(), IsElementwiseCall);
}

Result<RowMixer> RowMixer::Of(const Run& run, const std::string& subjects_step,
                              const std::string& rows_step, const NearEqualOptions& near_equal) {
  RowMixer mixer;
  KM_RETURN_IF_ERROR(
      run.ForEachOutput(subjects_step, [&](std::string_view, std::string_view body) -> Status {
        KM_ASSIGN(const Record record, Record::Decode(body));
        return mixer.Learn(record);
      }));
  KM_ASSIGN(NearEqualRows rows, NearEqualRows::Create(run.StatePath("steps")));
  KM_RETURN_IF_ERROR(
      run.ForEachOutput(rows_step, [&](std::string_view, std::string_view body) -> Status {
        KM_ASSIGN(const Record record, Record::Decode(body));
        KM_ASSIGN(const TrainingRecord training, TrainingRecord::FromJson(record.payload));
        return rows.Add(record.ContentId(), training);
      }));
  KM_ASSIGN(NearEqualTwins twins, rows.Find(near_equal));
  mixer.LeaveOut(std::move(twins));
  return mixer;
}

Status RowMixer::Learn(const Record& record) {
  if (record.kind != RecordKind::kAnnotation) return Status::Ok();
  KM_ASSIGN(const Annotation annotation, Annotation::FromJson(record.payload));
  if (IsElementwiseOnly(annotation)) elementwise_.insert(annotation.task);
  return Status::Ok();
}

MixedRow RowMixer::Describe(const Record& record, const TrainingRecord& training) const {
  MixedRow row;
  row.family = training.family;
  row.musa = training.backend == kMusaBackend.name;
  row.slow = IsSlow(training.estimated_speed);
  row.elementwise = IsElementwiseTask(training.task_id);
  row.task_id = training.task_id;
  for (const Origin& origin : record.origins) {
    if (origin.mined()) row.repositories.push_back(origin.Source().first);
  }
  std::sort(row.repositories.begin(), row.repositories.end());
  row.repositories.erase(std::unique(row.repositories.begin(), row.repositories.end()),
                         row.repositories.end());
  return row;
}

Result<Mixture> RowMixer::Solve(const Run& run, const std::string& rows_step,
                                const MixOptions& options) const {
  MixtureSolver solver;
  KM_RETURN_IF_ERROR(
      run.ForEachOutput(rows_step, [&](std::string_view, std::string_view body) -> Status {
        KM_ASSIGN(const Record record, Record::Decode(body));
        KM_ASSIGN(const TrainingRecord training, TrainingRecord::FromJson(record.payload));
        KM_ASSIGN(const RowAttributes attributes, RowAttributes::Of(record));
        if (attributes.split == "validation" || near_equal_.contains(record.ContentId())) {
          return Status::Ok();
        }
        solver.Add(Describe(record, training), attributes.weight, attributes.answer_tokens);
        return Status::Ok();
      }));
  return solver.Solve(options);
}

Status RowMixer::Weigh(const Mixture& mixture, Record* record) const {
  if (record->kind != RecordKind::kTraining) return Status::Ok();
  KM_ASSIGN(const TrainingRecord training, TrainingRecord::FromJson(record->payload));
  KM_ASSIGN(RowAttributes attributes, RowAttributes::Of(*record));
  const auto twin = near_equal_.find(record->ContentId());
  if (twin == near_equal_.end()) {
    attributes.weight = mixture.WeightOf(Describe(*record, training), attributes.weight);
  } else {
    attributes.weight = 0;
    attributes.near_equal_to = twin->second.Hex();
  }
  record->attributes = attributes.ToJson();
  return Status::Ok();
}

}  // namespace kernelmill
