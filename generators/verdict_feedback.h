// A verdict as a message for the model that wrote the candidate.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpora/records/verdict.h"

namespace kernelmill {

// What the errors in an output look like (stages/verify/numerics/error_pattern.h finds it).
struct ErrorPattern {
  std::string_view name;
  std::string_view cause;  // What usually causes it: a clause for the author of the kernel.
  std::string_view hint;   // The same in few words.
};

// Every pattern. Closed.
const std::vector<ErrorPattern>& AllErrorPatterns();
// The cause, or an empty view.
std::string_view CauseOfPattern(std::string_view name);
// Null for an unknown name.
const ErrorPattern* FindErrorPattern(std::string_view name);

// Whether an answer that is right was run at the task's very sizes: a sentence; empty where
// everything ran there.
std::string FullSizeText(const VerdictFullSize& full_size);

// What happened, where, and what is likely to be the cause. Names no size that is kept for grading.
std::string FeedbackText(const Verdict& verdict);

// What a compiler or the interpreter said, without the lines about code that is not the candidate's.
std::string OwnMessages(const Verdict& verdict);
// "candidate.py:12: calls F.relu".
std::string FindingText(const VerdictFinding& finding);
// "[0, 16]".
std::string IndexText(const std::vector<std::int64_t>& index);
// Findings that a message shows at most.
constexpr std::size_t kMostFindings = 8;

}  // namespace kernelmill
