// The tables of prompt templates: one function per family of rows (and language) that appends its
// templates. TemplatesOf() (prompt_template.h) calls each once.
#pragma once

#include <vector>

#include "generators/prompts/prompt_template.h"

namespace kernelmill {

void AddEnglishTranslatePrompts(std::vector<PromptTemplate>* templates);
void AddChineseTranslatePrompts(std::vector<PromptTemplate>* templates);
void AddReviewPrompts(std::vector<PromptTemplate>* templates);

// Each of these families has further placeholders beside those of PromptFacts.
//   code     the native code to analyse, fenced
//   kernels  the names of its kernels, as code
//   figures  lines "- `k`: 18 registers per thread, …", or "" when nothing was measured;
//            figures_title, figures_title_zh: what stands above them, or ""
void AddAnalyzePrompts(std::vector<PromptTemplate>* templates);
//   code     the program to start from, fenced
//   from     the backend that the program is written for: "CUDA"
void AddPortPrompts(std::vector<PromptTemplate>* templates);
//   code     the program to start from, fenced
//   figures  the counters of its run, as lines
void AddOptimizePrompts(std::vector<PromptTemplate>* templates);
void AddTestPrompts(std::vector<PromptTemplate>* templates);

}  // namespace kernelmill
