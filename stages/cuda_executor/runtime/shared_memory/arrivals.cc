// Barriers for some threads of a block (include/kernelmill/arrivals.h).
#include <kernelmill/arrivals.h>

#include "stages/cuda_executor/runtime/block.h"
#include "stages/cuda_executor/runtime/memory_checks.h"

namespace kernelmill {

void AwaitPhases(const Arrivals* arrivals, std::uint32_t phases, Site site) {
  if (!IsShared(arrivals) && !CurrentBlock().IsNamedBarrier(arrivals)) {
    Trap("unsupported", "a barrier that is not in shared memory", site);
  }
  CurrentBlock().Await(arrivals, phases, site);
}
void NoteEndOfPhase() {
  if (Observer() != nullptr) Observer()->OnBarrier();
}

bool StartCopyFor(const void* barrier, const AsyncCopy& copy) {
  return KeepCopy(&CurrentBlock().CopiesFor(barrier), copy);
}
bool TakeCopyFor(const void* barrier, AsyncCopy* copy) {
  return TakeOldestCopy(&CurrentBlock().CopiesFor(barrier), copy);
}

void NamedBarrier(unsigned number, unsigned threads, bool waits, Site site) {
  if (number >= Block::kNamedBarriers || threads == 0 || threads % 32 != 0) {
    Trap("barrier", "a barrier has a number from 0 to 15 and whole warps of threads", site);
  }
  Arrivals& arrivals = CurrentBlock().NamedBarrier(number);
  arrivals.expected = threads;
  const std::uint32_t phase = Arrive(&arrivals, 1);
  if (waits) AwaitPhase(&arrivals, phase, site);
}

}  // namespace kernelmill
