// The attributes of a training record: facts about the row besides its messages (split, token
// counts, weight, difficulty). The step "render" sets them, "measure" and "mix" change token counts
// and weights, and exports write them as fields of the row.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "corpora/records/record.h"

namespace kernelmill {

// The value of RowAttributes::tokenizer for counts by corpora/token_estimate.h.
inline constexpr std::string_view kEstimated = "estimate";

struct RowAttributes {
  std::string split;                                  // "train" or "validation".
  std::int64_t prompt_tokens = 0, answer_tokens = 0;  // Of all messages but the last; of the last.
  std::string tokenizer{kEstimated};  // kEstimated, or "sha256:<hex>" of the tokenizer file.
  // Before "mix", the row's share among the rows that ask for the same, at most 1. After it, the
  // row's weight in training; the mean over the trained tokens is 1.
  double weight = 1;
  // The content_id of a row of the same task that is trained instead, whose program is near-equal
  // (stages/mix/near_equal_rows.h). Absent unless the weight is 0 for that.
  std::string near_equal_to;
  // From 0 to 1 (generators/known_task/difficulty.h). It depends on the estimated tokens of the
  // answer.
  double difficulty_static = 0;
  std::int64_t curriculum_stage = 1;  // TrainingRecord::CurriculumStage().
  // Of a row that trains a model's sample, otherwise absent: the samples that were selected for the
  // same task and backend, and those of the same structure (stages/select/selection.h), as
  // hexadecimal digits.
  std::string pool_id, cluster_id;
  bool contaminated = false;  // The task is a problem of a benchmark. Absent unless it is.

  // kCorrupt when an attribute is missing or has another type, or when `record` has unknown ones.
  static Result<RowAttributes> Of(const Record& record);
  Json::Object ToJson() const;

  friend bool operator==(const RowAttributes&, const RowAttributes&) = default;
};

}  // namespace kernelmill
