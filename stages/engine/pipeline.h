// Processes a sequence of items in several threads and hands on the results in the order of the
// sequence. Run (run.h) processes the inputs of a step with ProcessInOrder(), and the command
// `answer` its tasks with RunInOrder(). This is the only user of oneTBB.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "stages/engine/step.h"

namespace kernelmill {

// The number of threads for a user's --jobs: 0 or less means one per processor.
int ThreadsOf(int jobs);

// An item of a pipeline. Each pipeline derives its own type.
class PipelineItem {
 public:
  virtual ~PipelineItem() = default;
};

// What RunInOrder() does with the items of a sequence.
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

// Runs the pipeline in `jobs` threads. At most 64 items per job are in flight, so a slow Take()
// delays Next(). If an item fails, the items before it are taken, those after it are not, and its
// error is returned; what is taken does not depend on `jobs`. Lanes are destroyed before the
// function returns.
Status RunInOrder(Pipeline& pipeline, int jobs);

// One input of ProcessInOrder().
struct Work {
  Input input;
  std::int64_t partition = 0;
};
Status ProcessInOrder(Step& step, int jobs,
                      const std::function<Result<std::optional<Work>>()>& next,
                      const std::function<Status(const Work&, const Outcome&)>& take);

}  // namespace kernelmill
