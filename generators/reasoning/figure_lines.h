// What running an answer showed, as somebody puts it into a question: lists, sentences, a table, or
// what a tool printed.
#pragma once

#include <string>

#include "corpora/records/verdict.h"
#include "generators/wording/voice.h"

namespace kernelmill {

// Of every launch what is known, and the sizes of the run; "" where nothing is known.
std::string FigureLines(const Verdict& verdict, Voice* voice);

}  // namespace kernelmill
