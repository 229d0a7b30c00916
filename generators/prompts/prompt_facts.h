// PromptFacts: the values of the placeholders in prompt templates (prompt_template.h), by name.
// PromptFactsOf() makes those that every family can use; WritePrompt() calls it for each row. All
// values come from records.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "generators/known_task/known_task.h"
#include "generators/prompts/prompt_template.h"
#include "generators/reasoning/known_device.h"
#include "generators/wording/sentence_writer.h"

namespace kernelmill {

// Values by placeholder. The prompts of every family can use these:
//   backend        "CUDA" or "MUSA"
//   device         "cuda" or "musa"
//   gpu            a GPU of the backend: "an NVIDIA H100"
//   gpu_with_peaks the GPU that analyses are about, with its peak rates, after "on" or "for"
//   loader         the import path of load_inline, as code; loader_short: that path or a short form
//   reference      the task's code, fenced
//   inputs_list    lines "- `x`: (2, 8) float32" or similar
//   inputs_line    "`x` (2, 8) float32, `y` (8,) int64" or similar; inputs_plain: without backticks
//   inputs_table   a Markdown table
//   outputs_line   "(2, 8) float32"
//   parameters_list  lines "- `fc.weight`: (8, 8) float32"
//   operators      "`linear`, `relu`": the operators that the module calls and that the answer's
//                  forward() must not call; operators_plain: without backticks
//   tolerance      a clause: "within 1e-4, relative and absolute", "exactly"
//   open_sizes     the symbolic sizes in parentheses, to follow a word; "" when no size is symbolic
using PromptFacts = std::map<std::string, std::string, std::less<>>;

// "an NVIDIA A100": {gpu} in English.
std::string GpuInWords(const KnownDevice& device);

// `backend`: the name of a backend, as records have it that were read.
PromptFacts PromptFactsOf(const KnownTask& known, std::string_view backend, PromptLanguage language,
                          SentenceWriter* writer);

}  // namespace kernelmill
