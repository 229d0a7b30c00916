#include "generators/task_rows/families.h"

namespace kernelmill {

const std::vector<TaskRows>& AllTaskRows() {
  static const std::vector<TaskRows> kRows = {
      {Family::kShapeReasoning, WriteShapeRows},
      {Family::kTranslate, WriteTranslateRows},
      {Family::kReview, WriteReviewRows},
      {Family::kRepair, WriteRepairRows},
  };
  return kRows;
}

Wording KnownTask::WordingFor(const Digest& candidate, Family family) const {
  return Wording(
      Sha256().Field(id.AsKey()).Field(candidate.AsKey()).Field(FamilyName(family)).Finish(), seed);
}

}  // namespace kernelmill
