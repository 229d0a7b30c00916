#include "stages/generate/generate_spec.h"

#include "generators/wording/number_format.h"
#include "stages/engine/step_context.h"
#include "stages/generate/generate_step.h"

namespace kernelmill {
namespace {

Result<ReadyStep> Make(const StepContext& context) {
  KM_ASSIGN(GenerateOptions options, GenerateOptions::Of(context.config));
  auto step = std::make_unique<GenerateStep>(std::move(options));
  Run::Propose inputs = step->Inputs(context.wanted);
  return ReadyStep{std::move(step), std::move(inputs)};
}

}  // namespace

StepSpec GenerateSpec() {
  return {.name = "generate",
          .takes = "indices of a seed",
          .does = "a random graph of operators is written as a module",
          .keys = GenerateKeys,
          .validate = [](const Config& config) { return GenerateOptions::Of(config).status(); },
          .off = [](const RunForecast& forecast) -> std::string {
            return forecast.config.Integer("generate.count") == 0 ? "generate.count is 0" : "";
          },
          .preview =
              [](const RunForecast& forecast) {
                return Counted(forecast.config.Integer("generate.count"), "task") + " of seed " +
                       std::to_string(forecast.config.Integer("generate.seed")) +
                       ", no two with one graph";
              },
          .make = Make};
}

}  // namespace kernelmill
