// Writes the question of a row from one of the templates of its family and facts about the task.
// Called by the writers of rows (generators/task_rows/).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "generators/prompts/prompt_facts.h"
#include "generators/prompts/prompt_template.h"

namespace kernelmill {

struct PromptRequest {
  Family family = Family::kTranslate;
  std::string_view backend = "cuda";  // The backend that the answer is for.
  // The level of reasoning in the answer; the placeholder {answer_form} asks for that level.
  std::string_view reasoning = kReasoningNone;
  // Whether a Chinese template may be chosen: a Chinese question is only asked where the answer is
  // Chinese too, or code alone.
  bool may_be_chinese = true;
  // The values of the family's own placeholders (prompt_tables.h).
  PromptFacts facts = {};
};

struct Prompt {
  std::string name;  // PromptTemplate::name.
  PromptLanguage language = PromptLanguage::kEnglish;
  std::string system;  // The system message; "" for a conversation without one.
  std::string text;
  bool asks_for_speed = false;

  // The messages that a conversation begins with.
  std::vector<Message> Messages() const;
};

// Fills a template that `wording` chooses among the family's; templates for validation only are
// left out in the training split.
Prompt WritePrompt(const PromptRequest& request, const KnownTask& known, const Wording& wording);

// `pattern` with every placeholder filled, without the lines that consist of empty placeholders.
std::string FillTemplate(std::string_view pattern, const PromptFacts& facts);

}  // namespace kernelmill
