// The family shape_reasoning: a PyTorch module and its inputs in the question; in the answer the
// shape, dtype and layout of every value along the way. Every number is one that torch reported.
#pragma once

#include <optional>

#include "corpora/records/annotation.h"
#include "corpora/records/task.h"
#include "corpora/records/training_record.h"

namespace kernelmill {

// Nothing when the annotation has no value to reason about. `task_id` is the task's content_id.
std::optional<TrainingRecord> WriteShapeReasoning(const Digest& task_id, const Task& task,
                                                  const Annotation& annotation, std::int64_t seed);

}  // namespace kernelmill
