// What the figures of an answer say about its speed: for each finding the evidence, the change that
// would help and the gain to expect. Called by the writer of analyze rows. Every number is a figure
// of the question, or follows from the shapes and figures there (performance_numbers.h).
#pragma once

#include <string>
#include <vector>

#include "generators/prompts/prompt_template.h"
#include "generators/reasoning/reasoning_steps.h"

namespace kernelmill {

// The bytes to move, the FLOPs to do, the time that this takes at least on a GPU that everybody
// knows, and what limits a call there (call_limit.h).
std::string BoundText(const ReasoningSubject& subject, PromptLanguage language);
// Whether tuning the kernels is worth it: yes or no, and why.
std::string WorthText(const ReasoningSubject& subject, PromptLanguage language);
// Which thread computes what.
std::string ThreadsText(const ReasoningSubject& subject, PromptLanguage language);
// One item for each kernel with figures: how its accesses use sectors (global_accesses.h), bank
// conflicts, occupancy and the grid. "" without figures.
std::string CountersText(const ReasoningSubject& subject, PromptLanguage language);
// What to change where the limit of the call is, or that nothing is worth changing.
std::string AdviceText(const ReasoningSubject& subject, PromptLanguage language);
// The same, one change each; the last one for larger inputs where launches are the limit. Empty
// when there is nothing to change.
std::vector<std::string> AdviceItems(const ReasoningSubject& subject, PromptLanguage language);

}  // namespace kernelmill
