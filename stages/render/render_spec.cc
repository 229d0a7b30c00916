#include "stages/render/render_spec.h"

#include "stages/engine/step_context.h"
#include "stages/engine/subject_records.h"
#include "stages/render/render_step.h"

namespace kernelmill {
namespace {

Result<ReadyStep> Make(const StepContext& context) {
  return ReadyStep{std::make_unique<RenderStep>(context.config, context.child_program),
                     SubjectRecords(context.run, context.reads, context.wanted),
                     MergeSubjectRecords};
}

}  // namespace

StepSpec RenderSpec() {
  return {.name = "render",
          .takes = "subjects",
          .does = "rows about those that pass, into train and validation",
          .reads = {"dedup", "answer", "perturb", "check", "select"},
          .keys = RenderKeys,
          .make = Make};
}

}  // namespace kernelmill
