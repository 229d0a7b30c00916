// How a row asks. A template is one entry of a table (prompt_tables.h), and adding one touches
// nothing else. It has the order of parts, headings and tone; what is said of the task comes in
// through placeholders (prompt_facts.h, conditions.h), from records.
#pragma once

#include <string_view>
#include <vector>

#include "corpora/records/training_record.h"

namespace kernelmill {

enum class PromptLanguage { kEnglish, kChinese };

struct PromptTemplate {
  std::string_view name;  // The column prompt_template: "translate-brief". Unique.
  PromptLanguage language = PromptLanguage::kEnglish;
  // For rows of the validation split only; all others serve both.
  bool validation = false;
  // Text with {placeholders} and [one|or|other] groups (generators/wording/voice.h). A line that only
  // consists of placeholders is left out when all of them are empty.
  std::string_view text;
};

// The templates of a family; empty for families that are asked otherwise.
const std::vector<PromptTemplate>& TemplatesOf(Family family);

}  // namespace kernelmill
