// What prompts say of a task: values of placeholders, each from records.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "generators/prompts/prompt_template.h"
#include "generators/task_rows/known_task.h"
#include "generators/wording/voice.h"

namespace kernelmill {

// By placeholder. Those of every family:
//   backend        "CUDA" or "MUSA"
//   device         "cuda" or "musa"
//   loader         the import path of load_inline, as code; loader_short: that, or less
//   reference      the task's code, fenced
//   inputs_list    lines "- `x`: (2, 8) float32", or otherwise written
//   inputs_line    "`x` (2, 8) float32, `y` (8,) int64", or otherwise written; inputs_plain: without
//                  backticks
//   inputs_table   a Markdown table
//   outputs_line   "(2, 8) float32"
//   parameters_list  lines "- `fc.weight`: (8, 8) float32"
//   operators      "`linear`, `relu`": what the module calls and forward() must not;
//                  operators_plain: without backticks
//   tolerance      a clause: "within 1e-4, relative and absolute", "exactly"
//   open_sizes     where sizes are open, which, in parentheses that follow a word; else ""
using PromptFacts = std::map<std::string, std::string, std::less<>>;

PromptFacts PromptFactsOf(const KnownTask& known, std::string_view backend,
                          PromptLanguage language, Voice* voice);

}  // namespace kernelmill
