// What a training record says of itself beside its messages: the attributes of the record, and
// columns of the row.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "corpora/records/record.h"

namespace kernelmill {

// In place of a tokenizer's name, for counts by corpora/token_estimate.h.
inline constexpr std::string_view kEstimated = "estimate";

struct RowAttributes {
  std::string split;                                  // "train" or "validation".
  std::int64_t prompt_tokens = 0, answer_tokens = 0;  // Of the messages before the last, and of it.
  std::string tokenizer{
      kEstimated};    // What counted them: kEstimated or "sha256:<hex>" of its file.
  double weight = 1;  // How much the row counts in training.
  // From 0 to 1 (generators/known_task/difficulty.h), of the estimated tokens of the answer.
  double difficulty_static = 0;
  std::int64_t curriculum_stage = 1;  // TrainingRecord::CurriculumStage().

  // kCorrupt when one is missing or of another type, or `record` has others.
  static Result<RowAttributes> Of(const Record& record);
  Json::Object ToJson() const;

  friend bool operator==(const RowAttributes&, const RowAttributes&) = default;
};

}  // namespace kernelmill
