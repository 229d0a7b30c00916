// Writes the rows of the family shape_reasoning. The question shows a PyTorch module and its
// inputs; the answer gives the shape, dtype and layout of every value in forward(). Called for each
// task by generators/task_rows/shape_rows.cc. Every number is one that torch reported.
#pragma once

#include <optional>

#include "corpora/records/annotation.h"
#include "corpora/records/task.h"
#include "corpora/records/training_record.h"

namespace kernelmill {

// `task_id`: the content_id of the task. Nothing when the annotation contains no value.
std::optional<TrainingRecord> WriteShapeReasoning(const Digest& task_id, const Task& task,
                                                  const Annotation& annotation, std::int64_t seed);

}  // namespace kernelmill
