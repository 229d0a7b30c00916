// Processes a sequence with several threads, in order. The only user of oneTBB.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "stages/engine/step.h"

namespace kernelmill {

// The number of threads for a user's --jobs: 0 or less means one per processor.
int ThreadsOf(int jobs);

// An item of a pipeline; the pipeline knows its type.
class PipelineItem {
 public:
  virtual ~PipelineItem() = default;
};

// Work on the items of a sequence.
class Pipeline {
 public:
  virtual ~Pipeline() = default;

  // The next item, or null at the end. Called serially.
  virtual Result<std::unique_ptr<PipelineItem>> Next() = 0;
  virtual Result<std::unique_ptr<Lane>> OpenLane() = 0;
  // Called from several threads, each with a lane of its own.
  virtual Status Process(PipelineItem& item, Lane& lane) = 0;
  // Called serially, in the order of the sequence.
  virtual Status Take(PipelineItem& item) = 0;
};

// At most sixty-four items a job are under way, so a slow Take() holds Next() back. Where an item
// fails, those before it are taken, none behind it is, and its error is returned: what was taken does
// not depend on `jobs`. Lanes are closed before it returns.
Status RunInOrder(Pipeline& pipeline, int jobs);

// The same for inputs of a step: pulls them from `next` until it returns nothing, and hands every
// outcome to `take`.
struct Work {
  Input input;
  std::int64_t partition = 0;
};
Status ProcessInOrder(Step& step, int jobs,
                      const std::function<Result<std::optional<Work>>()>& next,
                      const std::function<Status(const Work&, const Outcome&)>& take);

}  // namespace kernelmill
