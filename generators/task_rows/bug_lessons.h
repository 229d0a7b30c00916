// What the mistake of a bug class teaches for other kernels: how it hides, and what finds or avoids
// it. Called by the writers of review and repair rows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpora/records/candidate.h"
#include "generators/perturbation/bug.h"

namespace kernelmill {

// One or two sentences that hold for most programs with the bug; "" for a class without an entry.
std::string_view LessonOf(std::string_view bug);
// The sentences that hold for this program.
struct ProgramOfBug {
  const std::string& code;                   // With the bug.
  const std::vector<DesignedKernel>& plans;  // Of the correct answer that it was put into.
};
std::string_view LessonOn(const BugClass& bug, const ProgramOfBug& program);

}  // namespace kernelmill
