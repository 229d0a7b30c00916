#include "stages/supply/supply_spec.h"

#include "generators/wording/number_format.h"
#include "stages/engine/step_context.h"
#include "stages/supply/supply_step.h"

namespace kernelmill {
namespace {

Result<ReadyStep> Make(const StepContext& context) {
  SupplyOptions options = SupplyOptions::Of(context.config);
  options.child_program = context.child_program;
  auto step = std::make_unique<SupplyStep>(std::move(options));
  Run::Propose inputs = step->Inputs(context.sources.tasks, context.wanted);
  return ReadyStep{std::move(step), std::move(inputs)};
}

}  // namespace

StepSpec SupplySpec() {
  return {.name = "supply",
          .takes = "rows of files of tasks",
          .does = "each row's reference, name and licence are read",
          .off = [](const RunForecast& forecast) -> std::string {
            return forecast.task_files == 0 ? "no source is a file of tasks" : "";
          },
          .preview =
              [](const RunForecast& forecast) {
                return Counted(forecast.task_rows, "row") + " of tasks";
              },
          .make = Make};
}

}  // namespace kernelmill
