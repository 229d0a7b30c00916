// A training record laid out for reading.
#pragma once

#include <optional>
#include <string>

#include "corpora/records/annotation.h"
#include "corpora/records/kernel_source.h"
#include "corpora/records/record.h"
#include "corpora/records/row_attributes.h"
#include "corpora/records/task.h"
#include "corpora/records/training_record.h"

namespace kernelmill {

// A training record with what the dataset knows about its subject.
struct RowInContext {
  Digest content_id;
  Record record;  // Of kind kTraining; `training` is its payload.
  TrainingRecord training;
  RowAttributes attributes;
  // Rows about modules have the first two, rows about native kernels the last.
  std::optional<Task> task;
  std::optional<Annotation> annotation;
  std::optional<KernelSource> kernel;

  // The record as it is stored, with its id, its SWHIDs, and the shapes of its subject.
  Json ToJson() const;
};

// A message under its role, at most its first `lines`; 0 shows all. Safe on a terminal.
std::string MessageText(const Message& message, std::size_t lines = 0);
// Head lines and messages, of each at most its first `lines`; 0 shows all. Safe on a terminal.
std::string RowText(const RowInContext& row, std::size_t lines = 0);
// The same row on one line: id, family, tokens, origin, licences.
std::string RowLine(const RowInContext& row);

}  // namespace kernelmill
