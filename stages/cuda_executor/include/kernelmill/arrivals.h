// Barriers in which some threads of a block take part, and in which arriving and waiting are two
// steps: PTX's barriers with a number and a count of threads, and libcu++'s barriers.
//
// The end of a phase orders what came before it before all that comes after it, as a barrier of the
// whole block does, also in threads that take no part: races that only such threads have are missed.
#pragma once

#include <kernelmill/async_copy.h>
#include <kernelmill/executor.h>

namespace kernelmill {

// Holds the arrivals of a phase. Phases are counted. No constructor, because variables in shared
// memory have none.
struct Arrivals {
  std::uint32_t expected, arrived, phase;
};

// Tells the observer that a phase has ended.
void NoteEndOfPhase();

// A copy that threads await at a barrier, whichever of them started it; the barrier's last arrival
// makes it. Returns false as StartCopy() does.
bool StartCopyFor(const void* barrier, const AsyncCopy& copy);
bool TakeCopyFor(const void* barrier, AsyncCopy* copy);

KM_UNWATCHED inline bool AddArrivals(Arrivals* arrivals, std::uint32_t count) {
  arrivals->arrived += count;
  return arrivals->arrived >= arrivals->expected;
}
KM_UNWATCHED inline void EndPhase(Arrivals* arrivals) {
  arrivals->arrived = 0;
  ++arrivals->phase;
}
KM_UNWATCHED inline std::uint32_t PhaseOf(const Arrivals* arrivals) { return arrivals->phase; }
// Arrives `count` times, and returns the phase.
__attribute__((always_inline)) inline std::uint32_t Arrive(Arrivals* arrivals, std::uint32_t count) {
  const std::uint32_t phase = PhaseOf(arrivals);
  if (AddArrivals(arrivals, count)) {
    for (AsyncCopy copy; TakeCopyFor(arrivals, &copy);) MakeCopy(copy);
    EndPhase(arrivals);
    NoteEndOfPhase();
  }
  return phase;
}

// From the running phase on, one arrival less is expected.
KM_UNWATCHED inline void ExpectFewer(Arrivals* arrivals) { --arrivals->expected; }

// Waits until `phases` phases are over, or the phase that Arrive() has returned. The barrier is in
// shared memory, or NamedBarrier()'s.
void AwaitPhases(const Arrivals* arrivals, std::uint32_t phases, Site site);
inline void AwaitPhase(const Arrivals* arrivals, std::uint32_t phase, Site site) {
  AwaitPhases(arrivals, phase + 1, site);
}

// Arrives at the block's barrier `number` (0 to 15), which is for `threads` threads, and with
// `waits` waits until as many have arrived.
void NamedBarrier(unsigned number, unsigned threads, bool waits, Site site);

}  // namespace kernelmill
