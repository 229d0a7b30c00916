// Computes the mixture (mixture.h) of the rows of a run, and sets the weight of each row.
// BuildSftDataset() (stages/recipes/sft_pipeline.h) calls it after the last step, before it packs
// the rows; an audit sets the weights again from the published factors.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "corpora/records/annotation.h"
#include "stages/engine/run.h"
#include "stages/mix/mixture.h"

namespace kernelmill {

// Whether every operator that the task calls is elementwise, creates a tensor, or only changes
// shapes.
bool IsElementwiseOnly(const Annotation& annotation);

class RowMixer {
 public:
  // Finds the tasks with only elementwise operators among the outputs of `subjects_step`, and the
  // rows above the limit of near-equal programs among those of `rows_step`.
  static Result<RowMixer> Of(const Run& run, const std::string& subjects_step,
                             const std::string& rows_step, const NearEqualOptions& near_equal);
  // The rows above the limit, which get the weight 0.
  void LeaveOut(NearEqualTwins twins) { near_equal_ = std::move(twins); }
  // Takes what an annotation says of its task; ignores other records.
  Status Learn(const Record& record);

  // The mixture of the rows that `rows_step` put out. Validation rows and rows above the limit are
  // ignored, because they are not trained on.
  Result<Mixture> Solve(const Run& run, const std::string& rows_step,
                        const MixOptions& options) const;
  // Sets the weight of a row in the form in which "render" and "measure" write it. Does not change
  // other records.
  Status Weigh(const Mixture& mixture, Record* record) const;

  // What the weight of a row depends on. Every annotation must have been learnt.
  MixedRow Describe(const Record& record, const TrainingRecord& training) const;
  bool IsElementwiseTask(const Digest& task) const { return elementwise_.contains(task); }

 private:
  std::set<Digest> elementwise_;
  NearEqualTwins near_equal_;
};

}  // namespace kernelmill
