#include "stages/compile/compile_ports_spec.h"

#include "stages/compile/compile_ports_step.h"
#include "stages/engine/step_context.h"
#include "stages/engine/subject_records.h"

namespace kernelmill {
namespace {

std::string Off(const RunForecast& forecast) {
  if (forecast.repositories == 0) return "no source is a repository";
  return forecast.config.Bool("mine.kernels") ? "" : "mine.kernels is false";
}

Result<ReadyStep> Make(const StepContext& context) {
  return ReadyStep{std::make_unique<CompilePortsStep>(),
                   SubjectRecords(context.run, context.reads, context.wanted), MergeSubjectRecords};
}

}  // namespace

StepSpec CompilePortsSpec() {
  return {.name = "compile_ports",
          .takes = "kernels for two platforms",
          .does = "both versions of each are compiled, MUSA's under CUDA's names",
          .remembered = true,
          .reads = {"slice_ports"},
          .off = Off,
          .make = Make};
}

}  // namespace kernelmill
