// The copies that threads have started and not awaited (include/kernelmill/async_copy.h).
#include <kernelmill/async_copy.h>

#include "stages/cuda_executor/runtime/block.h"
#include "stages/cuda_executor/runtime/execution_options.h"
#include "stages/cuda_executor/runtime/memory_checks.h"

namespace kernelmill {
namespace {

void FillDestination(const AsyncCopy& copy) {
  // What is wrong with the destination, the start of the copy has reported.
  if (copy.size == 0 || !IsShared(copy.to + copy.size - 1)) return;
  if (!IsAllowed(copy.to, copy.size)) return;
  if (copy.step == 1) return FillFresh(copy.to + copy.first, copy.size - copy.first);
  for (std::size_t i = copy.first; i < copy.size; i += copy.step) FillFresh(copy.to + i, 1);
}

}  // namespace

bool KeepCopy(PendingCopies* pending, const AsyncCopy& copy) {
  if (!IsShared(copy.to) || IsShared(copy.from) || CurrentBlock().IsLocal(copy.from)) return false;
  FillDestination(copy);
  pending->copies.push_back({copy, pending->groups});
  return true;
}
bool TakeOldestCopy(PendingCopies* pending, AsyncCopy* copy) {
  if (pending->copies.empty()) return false;
  *copy = pending->copies.front().copy;
  pending->copies.pop_front();
  return true;
}

bool StartCopy(const AsyncCopy& copy) { return KeepCopy(&CurrentBlock().Copies(), copy); }
void CommitCopies() { ++CurrentBlock().Copies().groups; }
bool TakeCopy(std::size_t left, AsyncCopy* copy) {
  PendingCopies& pending = CurrentBlock().Copies();
  if (pending.copies.empty() || pending.copies.front().group + left >= pending.groups) return false;
  return TakeOldestCopy(&pending, copy);
}
bool TakeCopy(AsyncCopy* copy) { return TakeOldestCopy(&CurrentBlock().Copies(), copy); }

}  // namespace kernelmill
