// Prompt templates: the fixed text of the questions in rows. A template determines the order of the
// parts, the headings and the tone; facts about the task enter through placeholders
// (prompt_facts.h, conditions.h). WritePrompt() (write_prompt.h) picks one of a family for each
// row. Adding a template means adding one entry to a table (prompt_tables.h).
#pragma once

#include <string_view>
#include <vector>

#include "corpora/records/training_record.h"

namespace kernelmill {

enum class PromptLanguage { kEnglish, kChinese };

struct PromptTemplate {
  std::string_view name;  // The column prompt_template: "translate-brief". Unique.
  PromptLanguage language = PromptLanguage::kEnglish;
  // Whether only rows of the validation split use the template; the other templates serve both
  // splits.
  bool validation = false;
  // Text with {placeholders} and groups "[one|or|other]" (generators/wording/sentence_writer.h). A
  // line that consists of placeholders is left out when all of them are empty.
  std::string_view text;
};

// The templates of a family. Empty for a family that writes its questions without templates.
const std::vector<PromptTemplate>& TemplatesOf(Family family);

}  // namespace kernelmill
