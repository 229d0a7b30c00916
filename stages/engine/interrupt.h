// SIGINT and SIGTERM. The first asks the run to stop at the next input, the second ends the program
// at once; either way what is committed stays, and the same command resumes.
#pragma once

#include "manifests/status.h"

namespace kernelmill {

// Installs the handlers. Call once, from main.
void WatchForInterrupt();
bool Interrupted();
// kInterrupted, with the advice to run the same command again.
Status InterruptedStatus();

}  // namespace kernelmill
