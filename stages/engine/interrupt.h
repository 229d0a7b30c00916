// Handles SIGINT and SIGTERM, for every command. main installs the handlers; a step's run, each
// wait for a child process and the commands' own loops ask Interrupted() or wait here. The first
// signal asks the run to stop at the next input and ends every wait for another process; the second
// ends the program at once. Committed partitions stay in both cases, and a command that makes a
// dataset resumes from them.
#pragma once

#include <chrono>

#include "manifests/status.h"

namespace kernelmill {

// Installs the handlers. Call once, from main.
void WatchForInterrupt();
bool Interrupted();
// For a command that ends its work in order by itself: from now on the first signal only makes
// InterruptDescriptor() readable. Interrupted() stays false and no wait ends.
void FinishWorkAtInterrupt();
// kInterrupted, with the advice to run the same command again.
Status InterruptedStatus();
// Removes that advice, for a command that cannot resume.
Status WithoutResuming(Status status);

enum class Waited { kReady, kLate, kInterrupted };
// Waits until `descriptor` can be read (`events` is POLLIN of poll(2)) or written (POLLOUT), or
// until the other side closes it. May be called from any thread.
Waited WaitFor(int descriptor, short events, std::chrono::milliseconds patience);
Waited WaitFor(int descriptor, short events);  // Without a time limit.
Waited Pause(std::chrono::milliseconds time);  // Returns kLate after `time`.
// A descriptor that can be read from the first signal on, for a library that waits itself; negative
// before WatchForInterrupt().
int InterruptDescriptor();

}  // namespace kernelmill
