// The tables of templates, one a family and language.
#pragma once

#include <vector>

#include "generators/prompts/prompt_template.h"

namespace kernelmill {

void AddEnglishTranslatePrompts(std::vector<PromptTemplate>* templates);
void AddChineseTranslatePrompts(std::vector<PromptTemplate>* templates);
void AddEnglishReviewPrompts(std::vector<PromptTemplate>* templates);
void AddChineseReviewPrompts(std::vector<PromptTemplate>* templates);

}  // namespace kernelmill
