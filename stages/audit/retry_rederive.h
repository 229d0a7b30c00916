// Compares the retry buffer in retry/ of an RFT dataset with the one that a run has built again
// from the same samples, for `audit --rederive`. The buffer follows from all samples of a round:
// only a run of all of them makes its files. A run of some tasks makes the records of these tasks,
// which are compared one by one.
#pragma once

#include <set>
#include <string>

#include "stages/audit/rederive.h"
#include "stages/retry/retry_folder.h"

namespace kernelmill {

// Of a run over all tasks. Writes `built` to the empty folder `scratch`, compares it file by file
// with retry/ of the dataset in `folder`, and sets `report->retry`. A finding names the file and
// the first line that differs.
Status CompareRetryFiles(const std::string& folder, const std::string& scratch, RetryFolder* built,
                         RederiveReport* report);

// Of a run that included the tasks of the records `chosen` of `published`. Counts each as identical
// or adds a finding, and sets `report->retry`.
void CompareRetryRecords(const RetryFolder& published, const std::set<Digest>& chosen,
                         const RetryFolder& built, RederiveReport* report);

}  // namespace kernelmill
