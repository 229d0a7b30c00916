// Writes the question of a row from one of the templates of its family and facts about the task.
// Called by the writers of rows (generators/task_rows/).
#pragma once

#include <string>
#include <string_view>

#include "generators/prompts/prompt_facts.h"
#include "generators/prompts/prompt_template.h"

namespace kernelmill {

struct PromptRequest {
  Family family = Family::kTranslate;
  std::string_view backend = "cuda";  // The backend that the answer is for.
  // The level of reasoning in the answer; the placeholder {answer_form} asks for that level.
  std::string_view reasoning = kReasoningNone;
  // The values of the family's own placeholders (prompt_tables.h).
  PromptFacts facts = {};
};

struct Prompt {
  std::string name;  // PromptTemplate::name.
  PromptLanguage language = PromptLanguage::kEnglish;
  std::string text;
};

// Fills a template that `wording` chooses among the family's; templates for validation only are
// left out in the training split.
Prompt WritePrompt(const PromptRequest& request, const KnownTask& known, const Wording& wording);

// `pattern` with every placeholder filled, without the lines that consist of empty placeholders.
std::string FillTemplate(std::string_view pattern, const PromptFacts& facts);

}  // namespace kernelmill
