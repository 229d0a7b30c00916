// A question, from a template and facts.
#pragma once

#include <string>
#include <string_view>

#include "generators/prompts/prompt_facts.h"
#include "generators/prompts/prompt_template.h"

namespace kernelmill {

struct PromptRequest {
  Family family = Family::kTranslate;
  std::string_view backend = "cuda";  // That is asked for.
  // What the answer has in front of its code; {answer_form} asks for that.
  std::string_view reasoning = kReasoningNone;
  // Placeholders of the family's templates beside those of PromptFactsOf().
  PromptFacts facts = {};
};

struct Prompt {
  std::string name;  // PromptTemplate::name.
  PromptLanguage language = PromptLanguage::kEnglish;
  std::string text;
};

// The template is chosen by `wording`: in the validation split among all of the family, else among
// those that are not for validation only.
Prompt WritePrompt(const PromptRequest& request, const KnownTask& known, const Wording& wording);

// `pattern` with every placeholder filled, and lines left out that hold empty ones only.
std::string FillTemplate(std::string_view pattern, const PromptFacts& facts);

}  // namespace kernelmill
