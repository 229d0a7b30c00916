// Threads. The only place that knows oneTBB.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "stages/engine/step.h"

namespace kernelmill {

// Pulls inputs from `next` (serially, until it returns nothing), processes each on one of `jobs`
// threads with a lane of its own, and hands every outcome to `take` serially and in order. At most
// four inputs a job are under way, so a slow consumer holds the producer back. Returns the first
// error of any of them; lanes are closed before it returns.
struct Work {
  Input input;
  std::int64_t partition = 0;
};
Status ProcessInOrder(Step& step, int jobs, const std::function<Result<std::optional<Work>>()>& next,
                      const std::function<Status(const Work&, const Outcome&)>& take);

}  // namespace kernelmill
