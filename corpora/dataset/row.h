// A row of a dataset as its readers see it: one training record with its attributes, origins and
// licences. Exports write rows, queries (stages/pack/row_query.h) select them, and the audit checks
// that records make them. Files of JSON lines have its fields as they are; Parquet files have some
// of them as columns and the others in the column "metadata" (stages/pack/parquet_row.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpora/records/record.h"
#include "corpora/records/row_attributes.h"
#include "corpora/records/training_record.h"

namespace kernelmill {

// The splits of a dataset: "train" and "validation".
const std::vector<std::string>& AllSplits();

struct Row {
  Digest content_id;  // Of the training record.
  RowAttributes attributes;
  TrainingRecord training;
  std::vector<std::string> origins;   // Origin::Identifier().
  std::vector<std::string> licences;  // SPDX expressions, sorted, without repeats.

  // `record` must be of kind kTraining. kCorrupt unless it has a question and ends with an answer.
  static Result<Row> Of(const Record& record);
  // The fields: "content_id", "origins", "licences", the fields of TrainingRecord::ToJson()
  // without its version, and those of RowAttributes::ToJson(). Every message also has "loss":
  // whether it is trained, which only the last one is. "completion" holds that message and "prompt"
  // the others, without "loss". So a trainer that looks at either of the two trains no wrong answer
  // that a row of the family "repair" begins with.
  Json ToJson() const;
};

}  // namespace kernelmill
