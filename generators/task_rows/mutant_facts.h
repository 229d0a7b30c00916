// MutantFacts: a mutant (a wrong answer) together with the correct answer that it was made from,
// and how the two differ. Review and repair rows are written from it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generators/known_task/known_task.h"
#include "generators/perturbation/bug.h"
#include "generators/perturbation/line_changes.h"

namespace kernelmill {

struct MutantFacts {
  const KnownCandidate* mutant = nullptr;
  const KnownCandidate* right = nullptr;
  const BugClass* bug = nullptr;
  std::vector<LineChange> changes;  // From the mutant to the correct answer.

  // The changed lines of the mutant: "line 41", "lines 41 and 96"; for a missing line "after line
  // 56".
  std::string Place() const;
  // The kernel of the mutant that the changed lines stand in; "" when they stand in none or
  // several.
  std::string Kernel() const;
  // The words and operators in which one line differs: ">" and ">=" for "i > n" and "i >= n". One
  // of the two is empty when something is missing or superfluous.
  struct Exchange {
    std::string was, is;
  };
  // Nothing when more than one line differs, or when the difference does not fit into a sentence:
  // it is too long, or contains an unbalanced bracket.
  std::optional<Exchange> Exchanged() const;
  // A fenced diff from the mutant to the correct answer, without context lines.
  std::string Diff() const;
};

// The facts of every mutant whose correct answer is known, in order of the mutants' ids. The
// pointers point into `known`.
std::vector<MutantFacts> MutantsOf(const KnownTask& known);

}  // namespace kernelmill
