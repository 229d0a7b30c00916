// Writes a training record as text for a terminal: its metadata and its messages. Called by the
// commands that show rows (`kernelmill inspect`, `kernelmill demo`).
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

// A training record together with the records about its subject.
struct RowInContext {
  Digest content_id;
  Record record;  // Of kind kTraining; `training` is its decoded payload.
  TrainingRecord training;
  RowAttributes attributes;
  // A row about a module has the first two, a row about a native kernel has the last.
  std::optional<Task> task;
  std::optional<Annotation> annotation;
  std::optional<KernelSource> kernel;

  // The stored record together with its id, its SWHIDs and the shapes of its subject.
  Json ToJson() const;
};

// A message under its role, cut after `lines` lines; 0 shows all of them. Safe on a terminal.
std::string MessageText(const Message& message, std::size_t lines = 0);
// The metadata and the messages, each message cut after `lines` lines; 0 shows all of them. Safe on
// a terminal.
std::string RowText(const RowInContext& row, std::size_t lines = 0);
// The row on one line: id, family, tokens, origin, licences.
std::string RowLine(const RowInContext& row);

}  // namespace kernelmill
