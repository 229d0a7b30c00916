// Writes the reasoning before an answer's code: how the kernels follow from the module. Called by
// the writers of translate, port and optimize rows. It is rendered from the records alone.
#pragma once

#include <string>
#include <string_view>

#include "generators/known_task/known_task.h"
#include "generators/reasoning/known_device.h"

namespace kernelmill {

// The level of reasoning of a row: kReasoningNone for 30 %, kReasoningPlan for 50 % and
// kReasoningFull for 20 % of the rows.
std::string_view ChooseReasoning(const Wording& wording);

// Reasoning about a correct answer to the task: "" for kReasoningNone; a few sentences or list
// items for kReasoningPlan; every step of reasoning_steps.h that applies for kReasoningFull. A
// harder task (generators/known_task/difficulty.h) gets more detail. The result ends without a
// newline. `device`: that the question names.
std::string WriteReasoning(std::string_view level, const KnownTask& known, const Candidate& answer,
                           const Wording& wording, const KnownDevice& device);

}  // namespace kernelmill
