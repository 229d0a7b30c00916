#include "stages/recall/recall_spec.h"

#include "stages/recall/recall_step.h"

namespace kernelmill {

StepSpec RecallSpec() {
  return {.name = "recall",
          .takes = "tasks of datasets and files",
          .does = "those that samples answer are taken",
          .reads = {"supply"},
          .keys = RecallKeys,
          .make = [](const StepContext& context) -> Result<ReadyStep> {
            std::vector<std::string> excluded = context.config.Strings("exclude_sources");
            return ReadyStep{std::make_unique<RecallStep>(std::move(excluded)),
                             RecallStep::Inputs(context), RecallStep::Merge};
          }};
}

}  // namespace kernelmill
