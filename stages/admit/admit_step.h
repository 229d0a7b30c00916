// Step "admit": a mined module becomes a task when it builds, runs and passes every check in the
// worker; its annotation is recorded with it. Runs in the recipe "sft" after "sample", "generate"
// and "supply"; "answer" and "render" use the tasks. Arguments that fail are repaired from the
// error, a bounded number of times. Generated and supplied tasks must pass the same checks
// unchanged; when the record of a task does not list its inputs, the run does. Tasks that pass are
// finally compared with the problems of protected benchmarks (decontamination.h).
//
// Generated tasks are too large to be computed here at their own sizes. They are run and checked at
// small sizes, where their text differs only in numbers. At their own sizes they run without data:
// torch still decides about shapes, dtypes, strides and operators. Both kinds of run must agree at
// the small sizes (Admission).
#pragma once

#include "corpora/records/mined_module.h"
#include "stages/admit/admission.h"
#include "stages/engine/step.h"

namespace kernelmill {

// Input.body: MinedModule as JSON, or a task as Record::Encode(). Kept: two records, a task and
// its annotation, as Record::Encode() under their raw content_id. Rejected: for the reason of the
// arguments that came furthest, with the code as the original.
class AdmitStep : public Step {
 public:
  explicit AdmitStep(AdmitOptions options) : options_(std::move(options)) {}

  std::string_view Name() const override { return "admit"; }
  int Version() const override { return 12; }
  Json Parameters() const override;
  // The lineage of mined tasks names how they were mined.
  Result<std::string> Surroundings() const override;
  Result<std::unique_ptr<Lane>> OpenLane() override;
  Result<Outcome> Process(const Input& input, Lane& lane) override;

 private:
  Derivation Admitted() const;
  // Both records of an admitted task; a rejection when a protected benchmark has the task.
  Result<Outcome> KeepUnlessBenchmark(Record task, const Annotation& facts,
                                      Admission& admission) const;
  Result<Outcome> AdmitMinedModule(const MinedModule& module, Admission& admission);
  Result<Outcome> AdmitTask(Record record, Admission& admission);

  AdmitOptions options_;
};

}  // namespace kernelmill
