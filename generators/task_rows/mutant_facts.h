// A mutant beside the answer that it was made of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generators/line_changes.h"
#include "generators/perturbation/bug.h"
#include "generators/task_rows/known_task.h"

namespace kernelmill {

struct MutantFacts {
  const KnownCandidate* mutant = nullptr;
  const KnownCandidate* right = nullptr;
  const BugClass* bug = nullptr;
  std::vector<LineChange> changes;  // That make the right answer of it; lines are the mutant's.

  // "line 41", "lines 41 and 96"; where a line is missing, "after line 56".
  std::string Place() const;
  // What of one line differs, in whole words and signs: "i > n" and "i >= n" make ">" and ">="; one of
  // the two is empty where something is missing or too much. Nothing where more than a line differs, or
  // what cannot be named in a sentence: too much of it, or a bracket without its other half.
  struct Exchange {
    std::string was, is;
  };
  std::optional<Exchange> Exchanged() const;
  // A diff from the mutant to the right answer, without the lines around; fenced.
  std::string Diff() const;
};

// Of every mutant whose right answer is known, in order of the mutants' ids.
std::vector<MutantFacts> MutantsOf(const KnownTask& known);

}  // namespace kernelmill
