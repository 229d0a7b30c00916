// Compares verdicts.jsonl of an RFT dataset with the verdicts of a run that has judged all samples,
// or those of some tasks, again, for `audit --rederive`.
#pragma once

#include <string>

#include "stages/audit/rederive.h"

namespace kernelmill {

// Of a run of some tasks or all. `found` is the text of verdicts.jsonl, and `built` has a line for
// each sample of these tasks. Lines of samples that were rejected, and have no verdict, are not
// compared. Adds a finding for each line that differs, is missing, or is of a sample
// that the run does not have; they name the line of `found`.
Status CompareVerdictLines(const std::string& found, const std::string& built,
                           RederiveReport* report);

}  // namespace kernelmill
