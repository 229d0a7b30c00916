#include "stages/admit/admit_spec.h"

#include <algorithm>

#include "stages/admit/admit_keys.h"
#include "stages/admit/decontamination.h"
#include "stages/engine/joint_derivation.h"
#include "stages/engine/step_context.h"
#include "stages/engine/subject_records.h"

namespace kernelmill {
namespace {

std::vector<ConfigKey> Keys() {
  std::vector<ConfigKey> keys = AdmitKeys();
  for (ConfigKey& key : DecontaminateKeys()) keys.push_back(std::move(key));
  return keys;
}

Run::Propose OutputsOf(const Run& run, std::vector<std::string> steps) {
  return [&run, steps = std::move(steps)](const Run::Emit& emit) -> Status {
    for (const std::string& step : steps) KM_RETURN_IF_ERROR(run.OutputsOf(step)(emit));
    return Status::Ok();
  };
}

Result<ReadyStep> Make(const StepContext& context) {
  // In the recipe "rft", "recall" chooses among the outputs of "supply", and problems of benchmarks
  // are judged, so they are marked here instead of rejected.
  std::vector<std::string> reads = context.reads;
  const bool recalled = std::find(reads.begin(), reads.end(), "recall") != reads.end();
  if (recalled) reads = {"recall"};
  // "slice" is the last step that works on modules; "sample" only chooses among its outputs.
  AdmitOptions options = AdmitOptionsOf(
      context.config, JointDerivation(context.run, "mine", context.steps_up_to("slice")));
  KM_ASSIGN(options.benchmarks, Decontamination::Of(context.config));
  options.benchmarks.marks = recalled;
  return ReadyStep{std::make_unique<AdmitStep>(std::move(options)),
                   OutputsOf(context.run, std::move(reads)), MergeRecords};
}

}  // namespace

StepSpec AdmitSpec() {
  return {.name = "admit",
          .takes = "modules with arguments, and tasks that were generated or supplied",
          .does = "each is built and run in a sandbox; torch says what it computes",
          .remembered = true,
          .reads = {"sample", "generate", "supply", "recall"},
          .keys = Keys,
          .validate = [](const Config& config) { return Decontamination::Of(config).status(); },
          .make = Make};
}

}  // namespace kernelmill
