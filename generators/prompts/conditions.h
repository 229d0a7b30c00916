// The conditions of a prompt: what the answer has to comply with (interface, allowed operators,
// tolerance, sizes, speed), written in one of many wordings and orders. Called by WritePrompt()
// (write_prompt.h) to fill the placeholders for conditions in a template.
#pragma once

#include "generators/prompts/prompt_facts.h"
#include "generators/wording/sentence_writer.h"

namespace kernelmill {

struct ConditionsAsked {
  PromptLanguage language = PromptLanguage::kEnglish;
  bool any_shape = false;    // Whether other sizes than those of the task have to work.
  bool performance = false;  // Whether the prompt asks for speed.
};

// Adds these placeholders to `facts`, which already has those of PromptFactsOf():
//   ask         the request as a sentence: "Write CUDA kernels for the module below."
//   calls       what forward() takes and returns, in one or two sentences
//   conditions  sentences, in any order, about the interface, the operators that torch must not
//               compute, the tolerance, the sizes and, if asked for, the speed
//   conditions_dashes, conditions_stars, conditions_numbers, conditions_boxes  the same as a list
//   interface, forbid, agree, build, contract, performance  one condition each, as a clause without
//               a full stop; performance is empty when the prompt does not ask for speed
//   agree_sentence, contract_sentence, forbid_sentence  with a full stop
//   speed_line, performance_sentence  the demand for speed as a line of a form and as a sentence,
//               or ""
void AddConditions(const ConditionsAsked& asked, SentenceWriter* writer, PromptFacts* facts);

}  // namespace kernelmill
