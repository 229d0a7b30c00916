#include "stages/check/check_spec.h"

#include "generators/wording/number_format.h"
#include "stages/check/check_step.h"
#include "stages/engine/step_context.h"
#include "stages/engine/subject_records.h"

namespace kernelmill {
namespace {

std::string Off(const RunForecast& forecast) {
  if (forecast.config.Integer("perturb.mutants") == 0) return "perturb.mutants is 0";
  return forecast.config.Integer("check.tries") == 0 ? "check.tries is 0" : "";
}

std::string Preview(const RunForecast& forecast) {
  return "one for each task and backend, of at most " +
         Counted(forecast.config.Integer("check.tries"), "attempt") +
         ": it passes right answers and fails wrong ones";
}

Result<ReadyStep> Make(const StepContext& context) {
  KM_ASSIGN(const CheckOptions options, CheckOptions::Of(context.config));
  return ReadyStep{std::make_unique<CheckStep>(options, StoreUseOf(context)),
                   SubjectRecords(context.run, context.reads, context.wanted), MergeSubjectRecords};
}

}  // namespace

StepSpec CheckSpec() {
  return {.name = "check",
          .takes = "tasks with right answers",
          .does = "a test is written that passes right answers and fails wrong ones",
          .remembered = true,
          .reads = {"dedup", "answer", "perturb"},
          .keys = CheckKeys,
          .validate = [](const Config& config) { return CheckOptions::Of(config).status(); },
          .off = Off,
          .preview = Preview,
          .make = Make};
}

}  // namespace kernelmill
