#include "stages/select/select_spec.h"

#include "stages/engine/step_context.h"
#include "stages/select/select_step.h"

namespace kernelmill {

StepSpec SelectSpec() {
  return {.name = "select",
          .takes = "judged samples",
          .does = "correct ones of different structure are selected, and wrong ones to repair",
          .reads = {"recall", "admit", "join", "verify"},
          .keys = SelectKeys,
          .validate = [](const Config& config) { return SelectOptions::Of(config).status(); },
          .make = [](const StepContext& context) -> Result<ReadyStep> {
            KM_ASSIGN(SelectOptions options, SelectOptions::Of(context.config));
            auto step = std::make_unique<SelectStep>(std::move(options));
            Run::Propose inputs = step->Inputs(context.run);
            return ReadyStep{std::move(step), std::move(inputs)};
          }};
}

}  // namespace kernelmill
