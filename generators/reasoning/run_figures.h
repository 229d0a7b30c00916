// What running an answer showed, in numbers: its verdict's device part and counts.
#pragma once

#include <string>

#include "corpora/records/candidate.h"
#include "generators/wording/voice.h"

namespace kernelmill {

// What the compiler said of a kernel; null where it did not, and of MUSA's kernels: CUDA's compiler saw
// them.
const VerdictDeviceKernel* DeviceFiguresOf(const Verdict& verdict, const std::string& kernel);

// What some of them mean, a paragraph a kernel; "" likewise.
std::string ReadFigures(const Candidate& answer, const Wording& wording);

// Sums over all launches of a verdict.
struct CountedWork {
  std::int64_t launches = 0, requests = 0, sectors = 0, bank_conflicts = 0, atomics = 0;
  std::int64_t threads = 0;
  bool whole = false;  // Every launch was counted, and there is one.
};
CountedWork CountedIn(const Verdict& verdict);
// Whether `after` does the same with less: no figure is larger, and sectors, launches, requests or
// bank conflicts are fewer by a tenth or more. What leaves a device idle counts little and is not
// better: threads may be an eighth of what they were, and no less.
bool IsStrictlyBetter(const CountedWork& after, const CountedWork& before);

}  // namespace kernelmill
