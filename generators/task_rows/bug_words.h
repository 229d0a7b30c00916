// The bug of a mutant as text: the mistake and its fix, in the words of its bug class and of the
// code. Called by the writers of review and repair rows.
#pragma once

#include <string>

#include "generators/task_rows/mutant_facts.h"

namespace kernelmill {

// Where the mistake is and what follows from it, in whole sentences. `numbered`: whether the reader
// sees the program with line numbers; without them the wrong line is quoted alone.
std::string MistakeText(const KnownTask& known, const MutantFacts& facts, bool numbered);
// The fix in words, the diff that makes it, and what the mistake teaches for other kernels.
std::string FixText(const MutantFacts& facts);
// What else a reader has to know of the corrected program, as a paragraph after the fix; "" where
// there is nothing.
std::string OtherRemarks(const MutantFacts& facts);

}  // namespace kernelmill
