// Feedback on a verdict: FeedbackText() is the message for the model that wrote the candidate,
// which the judge stores with every verdict; the others write parts of it, which repair rows also
// use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpora/records/verdict.h"

namespace kernelmill {

// A sentence on whether a correct answer was run at the task's own sizes. Empty when all of it was.
std::string FullSizeText(const VerdictFullSize& full_size);

// What happened, where, and the likely cause. Never names the hidden sizes that grading uses. Empty
// when the verdict says nothing about the candidate.
std::string FeedbackText(const Verdict& verdict);

// The messages of the compiler or the interpreter, without the lines about code of this program.
std::string MessagesAboutCandidate(const Verdict& verdict);
// "candidate.py:12: calls F.relu".
std::string FindingText(const VerdictFinding& finding);
// "[0, 16]".
std::string IndexText(const std::vector<std::int64_t>& index);
// The largest number of findings in a message.
constexpr std::size_t kMostFindings = 8;

}  // namespace kernelmill
