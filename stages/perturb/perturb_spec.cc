#include "stages/perturb/perturb_spec.h"

#include "generators/wording/number_format.h"
#include "stages/engine/step_context.h"
#include "stages/engine/subject_records.h"
#include "stages/perturb/perturb_step.h"

namespace kernelmill {
namespace {

std::string Off(const RunForecast& forecast) {
  return forecast.config.Integer("perturb.mutants") == 0 ? "perturb.mutants is 0" : "";
}

std::string Preview(const RunForecast& forecast) {
  return Counted(forecast.config.Integer("perturb.mutants"), "bug") +
         " put into each right answer, of " +
         Counted(forecast.config.Integer("perturb.tries"), "attempt") +
         " each, and shown by running it";
}

Result<ReadyStep> Make(const StepContext& context) {
  KM_ASSIGN(PerturbOptions options, PerturbOptions::Of(context.config));
  return ReadyStep{std::make_unique<PerturbStep>(std::move(options), StoreUseOf(context)),
                   SubjectRecords(context.run, context.reads, context.wanted), MergeSubjectRecords};
}

}  // namespace

StepSpec PerturbSpec() {
  return {.name = "perturb",
          .takes = "tasks with right answers",
          .does = "bugs are put into right answers, and shown by running them",
          .remembered = true,
          .reads = {"dedup", "answer"},
          .keys = PerturbKeys,
          .validate = [](const Config& config) { return PerturbOptions::Of(config).status(); },
          .off = Off,
          .preview = Preview,
          .make = Make};
}

}  // namespace kernelmill
