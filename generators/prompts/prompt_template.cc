#include "generators/prompts/prompt_template.h"

#include <map>

#include "generators/prompts/prompt_tables.h"

namespace kernelmill {

const std::vector<PromptTemplate>& TemplatesOf(Family family) {
  using Tables = std::map<Family, std::vector<PromptTemplate>>;
  static const Tables kTables = [] {
    Tables tables;
    AddEnglishTranslatePrompts(&tables[Family::kTranslate]);
    AddChineseTranslatePrompts(&tables[Family::kTranslate]);
    AddReviewPrompts(&tables[Family::kReview]);
    AddAnalyzePrompts(&tables[Family::kAnalyze]);
    AddPortPrompts(&tables[Family::kPort]);
    AddOptimizePrompts(&tables[Family::kOptimize]);
    AddTestPrompts(&tables[Family::kTest]);
    return tables;
  }();
  static const std::vector<PromptTemplate> kNone;
  const auto found = kTables.find(family);
  return found == kTables.end() ? kNone : found->second;
}

}  // namespace kernelmill
