// Words of device memory that go on changing from call to call of forward(), whatever changes them:
// a count of calls or of inputs, a scratch area, a generation of a barrier. What a call computes
// must not depend on such a word, because a later call finds a value there that no call of a judge
// has found. So words are given such values, and the result has to stay right.
//
// It does not see a count that is spread over words of few values each, a bit in each say, nor one
// that lies behind many other words that change, or deep in a very large array.
//
// A word that has come back to a value that it had before keeps it: a flag, a ticket that is set
// back, a part of two that calls use in turns. So does one that only the first call sets, as in a
// table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace kernelmill {

// Compares what device memory holds, as KeptOnDevice() names it, with what the call before has
// left.
void NoteChanges(std::uint64_t before, const std::set<const void*>& without);
// Gives other values to the words that have changed more than once. Returns how many it has
// changed.
std::size_t DisturbChanging();

}  // namespace kernelmill
