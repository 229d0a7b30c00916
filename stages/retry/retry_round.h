// What a round makes of the retry buffer: the next generation (retry_generation.h), from the
// generation before and the groups of samples that came back.
#pragma once

#include <vector>

#include "stages/retry/retry_generation.h"
#include "stages/retry/retry_group.h"

namespace kernelmill {

// What round `previous.round + 1` leaves. `previous_digest` is the digest of `previous`, as
// RetryFile (retry_file.h) has it. `groups` are all groups of the round, in the order of their
// slots. Pure, and for any thread: it depends on its arguments alone.
//
// In the order of the groups, by task and backend (the rules are ours):
//  - a group with a correct sample takes its entry out, and a parked task is parked no longer;
//  - a failed retry counts as an attempt. The entry goes to the end of the queue, where its time to
//    live begins again, or is parked after options.max_attempts. Were its time to go on, a busy
//    buffer would park nothing: it draws entries that are about to expire;
//  - a failed group of a task without an entry enters at the end of the queue, unless the task is
//    parked. Of a task with an entry it replaces the code if it CameCloser(); the entry keeps its
//    place, its round and its attempts;
//  - a group that does not count changes nothing.
// Then entries whose time to live is over leave, then the first ones that are over the capacity.
//
// Errors: kConfig for options out of range; kPlanChanged when a group is the retry of a task that
// `previous` does not hold, or that another group of the round retried: it belongs to another
// generation.
Result<RetryGeneration> NextRetryGeneration(RetryGeneration previous, const Digest& previous_digest,
                                            const std::vector<RetryGroup>& groups,
                                            const RetryOptions& options);

}  // namespace kernelmill
