// The error patterns: what the wrong elements of an output can look like, and what usually causes
// that. stages/verify/numerics/error_pattern.h detects the pattern of a wrong result, the verdict
// names it, and the texts of verdict_feedback.h and repair_feedback.h explain it.
#pragma once

#include <string_view>
#include <vector>

namespace kernelmill {

struct ErrorPattern {
  std::string_view name;
  std::string_view cause;  // The usual cause: a clause for the author of the kernel.
};

// Every pattern. A closed list.
const std::vector<ErrorPattern>& AllErrorPatterns();
// Null for an unknown name.
const ErrorPattern* ErrorPatternNamed(std::string_view name);
// The cause of a pattern; empty for an unknown name.
std::string_view CauseOfPattern(std::string_view name);

}  // namespace kernelmill
