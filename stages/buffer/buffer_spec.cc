#include "stages/buffer/buffer_spec.h"

#include "stages/buffer/buffer_step.h"
#include "stages/engine/step_context.h"

namespace kernelmill {

StepSpec BufferSpec() {
  return {.name = "buffer",
          .takes = "tasks of the retry buffer, and those that no sample solved",
          .does = "each is kept for retries, or leaves the retry buffer",
          .reads = {"recall", "admit", "join", "verify"},
          .keys = RetryKeys,
          .validate = [](const Config& config) { return BufferOptions::Of(config).status(); },
          .make = [](const StepContext& context) -> Result<ReadyStep> {
            KM_ASSIGN(BufferOptions options, BufferOptions::Of(context.config));
            auto step =
                std::make_unique<BufferStep>(std::move(options), context.sources.previous);
            Run::Propose inputs = step->Inputs(context.run);
            return ReadyStep{std::move(step), std::move(inputs)};
          }};
}

}  // namespace kernelmill
