// What stands in front of code: how it was arrived at, from facts alone.
#pragma once

#include <string>
#include <string_view>

#include "generators/task_rows/known_task.h"

namespace kernelmill {

// kReasoningNone, kReasoningPlan or kReasoningFull: of ten rows three, five and two.
std::string_view ChooseReasoning(const Wording& wording);

// Of a right answer to the task: "" for kReasoningNone; for kReasoningPlan a few sentences or
// points; for kReasoningFull the steps of reasoning_steps.h that apply, longer the harder
// the task is (generators/difficulty.h). It ends without a newline.
std::string WriteReasoning(std::string_view level, const KnownTask& known, const Candidate& answer,
                           const Wording& wording);

}  // namespace kernelmill
