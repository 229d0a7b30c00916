#include "stages/sample/sample_spec.h"

#include "generators/wording/number_format.h"
#include "stages/engine/step_context.h"
#include "stages/sample/sample_step.h"

namespace kernelmill {
namespace {

std::string Preview(const RunForecast& forecast) {
  const std::int64_t limit = forecast.config.Integer("limit");
  const std::int64_t source_limit = forecast.config.Integer("max_per_source");
  std::string text =
      limit > 0 ? "at most " + Counted(limit, "distinct module") : "every distinct module";
  if (source_limit > 0) text += ", at most " + Grouped(source_limit) + " from one source";
  if (limit > 0 || source_limit > 0) {
    text += ", chosen by seed " + std::to_string(forecast.config.Integer("seed"));
  }
  return text;
}

Result<ReadyStep> Make(const StepContext& context) {
  auto step = std::make_unique<SampleStep>(context.config, "slice");
  Run::Propose inputs = step->Inputs(context.run, context.wanted);
  return ReadyStep{std::move(step), std::move(inputs)};
}

}  // namespace

StepSpec SampleSpec() {
  return {.name = "sample",
          .takes = "distinct modules",
          .does = "equal modules are merged; a limit for all and one for each source hold",
          .reads = {"slice"},
          .keys = SampleKeys,
          .off = [](const RunForecast& forecast) -> std::string {
            return forecast.repositories == 0 ? "no source is a repository" : "";
          },
          .preview = Preview,
          .make = Make};
}

}  // namespace kernelmill
