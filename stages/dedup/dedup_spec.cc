#include "stages/dedup/dedup_spec.h"

#include "stages/dedup/dedup_step.h"
#include "stages/engine/step_context.h"

namespace kernelmill {
namespace {

std::string Preview(const RunForecast& forecast) {
  const double similarity = forecast.config.Number(kSimilarityKey);
  if (similarity == 0) return "none is dropped: " + std::string(kSimilarityKey) + " is 0";
  return "those whose text is that of another one by " + SimilarityText(similarity) +
         " or more are dropped";
}

Result<ReadyStep> Make(const StepContext& context) {
  const double similarity = context.config.Number(kSimilarityKey);
  auto step = std::make_unique<DedupStep>(similarity);
  Run::Propose inputs = step->Inputs(context.run, context.reads, context.wanted);
  return ReadyStep{std::move(step), std::move(inputs), MergeDedupInputs};
}

}  // namespace

StepSpec DedupSpec() {
  return {.name = "dedup",
          .takes = "tasks and kernels",
          .does = "those whose text is nearly that of another one are dropped",
          .reads = {"admit", "slice_kernels", "compile_ports"},
          .keys = DedupKeys,
          .validate = CheckDedupKeys,
          .preview = Preview,
          .make = Make};
}

}  // namespace kernelmill
