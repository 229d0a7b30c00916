// Writes the measured figures of an answer (registers, occupancy, counters) in the form in which
// the questions of analyze and optimize rows quote them: a list, sentences, a table, or the output
// of a tool.
#pragma once

#include <string>

#include "corpora/records/verdict.h"
#include "generators/wording/sentence_writer.h"

namespace kernelmill {

// All figures of every launch, and the sizes of the run; "" when the verdict has none.
std::string FigureLines(const Verdict& verdict, SentenceWriter* writer);

}  // namespace kernelmill
