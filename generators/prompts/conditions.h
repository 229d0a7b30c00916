// What an answer has to keep to, in one of many wordings and orders.
#pragma once

#include "generators/prompts/prompt_facts.h"
#include "generators/wording/voice.h"

namespace kernelmill {

struct ConditionsAsked {
  PromptLanguage language = PromptLanguage::kEnglish;
  bool any_shape = false;  // Of the sizes, whether others have to work.
  bool performance = false;
};

// Adds the placeholders
//   ask         "Write CUDA kernels for the module below.": what is wanted, a sentence
//   calls       what forward() gets and returns, a sentence or two
//   conditions  interface, operators that are not torch's to compute, agreement, sizes and, where
//               asked for, speed, in any order: sentences
//   conditions_dashes, conditions_stars, conditions_numbers, conditions_boxes  the same as lines
//               of a list
//   agree_sentence, contract_sentence  agree and contract with a full stop
//   speed_line, performance_sentence  what is asked of speed: a line of a form, a sentence; or ""
//   interface, forbid, agree, build, contract, performance  each of them alone, as a clause without
//               its full stop; performance is empty where it is not asked for
// `facts` has the others of PromptFactsOf() already.
void AddConditions(const ConditionsAsked& asked, Voice* voice, PromptFacts* facts);

}  // namespace kernelmill
