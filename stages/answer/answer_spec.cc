#include "stages/answer/answer_spec.h"

#include "generators/wording/number_format.h"
#include "stages/answer/answer_step.h"
#include "stages/engine/step_context.h"

namespace kernelmill {
namespace {

std::string Preview(const RunForecast& forecast) {
  const std::int64_t variants = forecast.config.Integer("answer.variants");
  const std::int64_t limit = forecast.config.Integer("answer.limit");
  if (variants == 0) return "none: answer.variants is 0";
  std::string backends;
  for (const std::string& backend : forecast.config.Strings("answer.backends")) {
    backends += (backends.empty() ? "" : ", ") + backend;
  }
  std::string text = "up to " + Counted(variants, "answer") + " to " +
                     (limit > 0 ? "each of " + Counted(limit, "task") : std::string("every task")) +
                     " for each backend (" + backends + "), built and run on the CPU";
  if (forecast.config.Bool("answer.sanitize")) text += ", with every access checked";
  if (forecast.config.Bool("answer.profile")) text += ", profiled";
  return text;
}

Result<ReadyStep> Make(const StepContext& context) {
  KM_ASSIGN(AnswerStep made, AnswerStep::Of(context.config, StoreUseOf(context)));
  auto step = std::make_unique<AnswerStep>(std::move(made));
  Run::Propose inputs = step->Inputs(context.run, "dedup", context.wanted);
  return ReadyStep{std::move(step), std::move(inputs)};
}

}  // namespace

StepSpec AnswerSpec() {
  return {.name = "answer",
          .takes = "tasks",
          .does = "native kernels are written for each, built, run and compared with torch",
          .remembered = true,
          .reads = {"dedup"},
          .keys = AnswerKeys,
          .validate = [](const Config& config) { return AnswerStep::Of(config).status(); },
          .preview = Preview,
          .make = Make};
}

}  // namespace kernelmill
