// The limits that this machine sets to this program: open files, processes, memory. They are raised
// as far as they can be and checked before work begins, because a run that reaches one of them in
// the middle has no chance, and because a process that lacks something must not be taken for one
// that its input has ended.
#pragma once

#include <cstdint>

#include "manifests/status.h"

namespace kernelmill {

// Raises the soft limits on open files and processes to the hard ones. Call once, from main; other
// programs that are started inherit them.
void RaiseLimits();

// kWorker, with what to do, unless the limits suffice for `lanes` threads with workers and
// compilers.
Status CheckLimits(int lanes);

// Whether this machine has `bytes` of memory to give at this moment: it distinguishes a process
// that reached a limit of ours from one that reached the machine's. At most 1 GiB is asked for.
bool MachineGives(std::int64_t bytes);

}  // namespace kernelmill
