// The mixture of a run's rows.
#pragma once

#include <set>
#include <string>

#include "corpora/records/annotation.h"
#include "stages/engine/run.h"
#include "stages/mix/mixture.h"

namespace kernelmill {

// Whether all that the task calls works element by element, or moves nothing.
bool IsElementwiseOnly(const Annotation& annotation);

class RowMixer {
 public:
  // Looks through what `subjects_step` left for the tasks whose every operator works element by
  // element.
  static Result<RowMixer> Of(const Run& run, const std::string& subjects_step);

  // Of the rows that `rows_step` left; those for validation are not trained.
  Result<Mixture> Solve(const Run& run, const std::string& rows_step,
                        const MixOptions& options) const;
  // Gives a row, as render and measure leave it, its weight. Leaves other records as they are.
  Status Weigh(const Mixture& mixture, Record* record) const;

 private:
  MixedRow Describe(const Record& record, const TrainingRecord& training) const;

  std::set<Digest> elementwise_;
};

}  // namespace kernelmill
