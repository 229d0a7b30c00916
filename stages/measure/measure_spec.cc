#include "stages/measure/measure_spec.h"

#include "generators/wording/number_format.h"
#include "stages/engine/step_context.h"
#include "stages/engine/subject_records.h"
#include "stages/measure/measure_step.h"

namespace kernelmill {
namespace {

std::string Preview(const RunForecast& forecast) {
  const std::int64_t budget = forecast.config.Integer("max_tokens");
  const Result<std::string> counted_by = TokenizerName(forecast.config);
  std::string text = counted_by.ok() && !counted_by->empty() ? "tokens counted by " + *counted_by
                                                             : "tokens estimated from bytes";
  return text + (budget > 0 ? "; rows over " + Grouped(budget) + " are rejected" : "; no budget");
}

Result<ReadyStep> Make(const StepContext& context) {
  KM_ASSIGN(MeasureOptions options, MeasureOptions::Of(context.config));
  return ReadyStep{std::make_unique<MeasureStep>(std::move(options)),
                     MeasureStep::Inputs(context.run, "render"), MergeRecords};
}

}  // namespace

StepSpec MeasureSpec() {
  return {.name = "measure",
          .takes = "rows",
          .does = "the tokens of each row are counted; rows over the budget are rejected",
          .reads = {"render"},
          .keys = MeasureKeys,
          .validate = [](const Config& config) { return MeasureOptions::Of(config).status(); },
          .preview = Preview,
          .make = Make};
}

}  // namespace kernelmill
