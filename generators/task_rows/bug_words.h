// The bug of a mutant as text: its cause and its remedy, in the words of its bug class and of the
// code. Called by the writers of review and repair rows.
#pragma once

#include <string>

#include "generators/task_rows/mutant_facts.h"
#include "generators/wording/sentence_writer.h"

namespace kernelmill {

// What is wrong: a clause.
std::string CauseText(const MutantFacts& facts, SentenceWriter* writer);
// What to do about it: an imperative.
std::string RemedyText(const MutantFacts& facts, SentenceWriter* writer);

}  // namespace kernelmill
