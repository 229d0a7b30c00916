#include "generators/known_task/known_task.h"

#include <algorithm>

namespace kernelmill {
namespace {

Result<KnownSample> KnownSampleOf(const Record& record) {
  KnownSample known;
  known.id = record.ContentId();
  KM_ASSIGN(known.sample, Sample::FromJson(record.payload));
  const Json attributes(record.attributes);
  known.pool = attributes.TextAt(kPoolAttribute);
  known.cluster = attributes.TextAt(kClusterAttribute);
  known.pool_size = attributes.IntegerAt(kPoolSizeAttribute);
  if (const Json* speedup = attributes.Find(kSpeedupAttribute)) {
    known.speedup = speedup->as_double();
  }
  known.origins = record.origins;
  known.licences = record.licences;
  return known;
}

}  // namespace

Result<KnownTask> KnownTask::Of(const Record& task, const std::vector<Record>& records) {
  KnownTask known;
  known.id = task.ContentId();
  KM_ASSIGN(known.task, Task::FromJson(task.payload));
  bool annotated = false;
  for (const Record& record : records) {
    if (record.kind == RecordKind::kAnnotation) {
      annotated = true;
      known.annotation = record.ContentId();
      KM_ASSIGN(known.facts, Annotation::FromJson(record.payload));
    } else if (record.kind == RecordKind::kCandidate) {
      KM_ASSIGN(Candidate candidate, Candidate::FromJson(record.payload));
      known.candidates.push_back({record.ContentId(), std::move(candidate)});
    } else if (record.kind == RecordKind::kCheck) {
      KM_ASSIGN(Check check, Check::FromJson(record.payload));
      known.checks.push_back({record.ContentId(), std::move(check)});
    } else if (record.kind == RecordKind::kSample) {
      KM_ASSIGN(KnownSample sample, KnownSampleOf(record));
      known.samples.push_back(std::move(sample));
    }
  }
  if (!annotated) return Status(ErrorCode::kInternal, "a task without its annotation");
  const auto by_id = [](const auto& a, const auto& b) { return a.id < b.id; };
  std::sort(known.candidates.begin(), known.candidates.end(), by_id);
  std::sort(known.checks.begin(), known.checks.end(), by_id);
  std::sort(known.samples.begin(), known.samples.end(), by_id);
  return known;
}

Wording KnownTask::WordingFor(const Digest& candidate, Family family) const {
  return Wording(
      Sha256().Field(id.AsKey()).Field(candidate.AsKey()).Field(FamilyName(family)).Finish(), seed);
}

}  // namespace kernelmill
