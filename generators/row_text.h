// A training record laid out for reading.
#pragma once

#include <optional>
#include <string>

#include "corpora/annotation.h"
#include "corpora/record.h"
#include "corpora/row_attributes.h"
#include "corpora/task.h"
#include "corpora/training_record.h"

namespace kernelmill {

// A training record with what the dataset knows about its subject.
struct RowInContext {
  Digest content_id;
  Record record;  // Of kind kTraining; `training` is its payload.
  TrainingRecord training;
  RowAttributes attributes;
  std::optional<Task> task;              // Rows about native kernels have none.
  std::optional<Annotation> annotation;  // The same.

  // The record as it is stored, with its id, its SWHIDs, and the shapes of its subject.
  Json ToJson() const;
};

// Head lines and messages. Safe on a terminal.
std::string RowText(const RowInContext& row);

}  // namespace kernelmill
