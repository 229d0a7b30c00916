// The tables of templates, one a family and language.
#pragma once

#include <vector>

#include "generators/prompts/prompt_template.h"

namespace kernelmill {

void AddEnglishTranslatePrompts(std::vector<PromptTemplate>* templates);
void AddChineseTranslatePrompts(std::vector<PromptTemplate>* templates);
void AddEnglishReviewPrompts(std::vector<PromptTemplate>* templates);
void AddChineseReviewPrompts(std::vector<PromptTemplate>* templates);

// Beside the placeholders of every family:
//   code     the native code in question, fenced
//   kernels  names of its kernels, as code
//   figures  lines "- `k`: 18 registers a thread, …", or "" where nothing was measured
void AddAnalyzePrompts(std::vector<PromptTemplate>* templates);
//   code     the program to start from, fenced
//   from     the backend that it is written for: "CUDA"
void AddPortPrompts(std::vector<PromptTemplate>* templates);
//   code     the program to start from, fenced
//   figures  what was counted when it ran, as lines
void AddOptimizePrompts(std::vector<PromptTemplate>* templates);
void AddTestPrompts(std::vector<PromptTemplate>* templates);

}  // namespace kernelmill
