// A row: what an export says of one training record. Every export has the same columns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpora/records/record.h"
#include "corpora/records/row_attributes.h"
#include "corpora/records/training_record.h"

namespace kernelmill {

// The parts a dataset is split into.
const std::vector<std::string>& AllSplits();

struct Row {
  Digest content_id;  // Of the training record.
  RowAttributes attributes;
  TrainingRecord training;
  std::vector<std::string> origins;   // Origin::Identifier().
  std::vector<std::string> licences;  // SPDX expressions, sorted, without repeats.

  // `record` is of kind kTraining.
  static Result<Row> Of(const Record& record);
  // Its columns: "content_id", "origins", "licences", the fields of TrainingRecord::ToJson() but
  // the version, and those of RowAttributes::ToJson().
  Json ToJson() const;
};

}  // namespace kernelmill
