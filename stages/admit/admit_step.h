// Step "admit": a mined module becomes a task when it builds, runs and passes every check in the
// worker, and its annotation is written beside it. Arguments that fail are repaired by what the
// error says, a bounded number of times. A task that is one already, because it was generated or
// supplied, has to pass the same checks as it stands; where its record does not list its inputs,
// the run does.
//
// Whatever passes is compared with the problems of protected benchmarks last (decontamination.h).
//
// Generated tasks are too large to be computed here at their own sizes. Their text at small sizes,
// which differs in numbers only, is run and checked; their own text is built and followed without
// data, where torch still takes every decision about shapes, dtypes, strides and operators. That it
// takes the same ones is seen at small sizes, where both must say the same (Admission).
#pragma once

#include "corpora/records/module_candidate.h"
#include "stages/admit/admission.h"
#include "stages/engine/step.h"

namespace kernelmill {

// Input.body: ModuleCandidate as JSON, or a task as Record::Encode(). Kept: two records, a task and
// its annotation, as Record::Encode() under their raw content_id. Rejected: the reason of the
// arguments that came furthest, with the code as the original.
class AdmitStep : public Step {
 public:
  explicit AdmitStep(AdmitOptions options) : options_(std::move(options)) {}

  std::string_view Name() const override { return "admit"; }
  int Version() const override { return 9; }
  Json Parameters() const override;
  Result<std::unique_ptr<Lane>> OpenLane() override;
  Result<Outcome> Process(const Input& input, Lane& lane) override;

 private:
  Derivation Admitted() const;
  // Both records of a task that was admitted, unless a protected benchmark has it.
  Result<Outcome> Keep(Record task, const Annotation& facts, Admission& admission) const;
  Result<Outcome> AdmitCandidate(const ModuleCandidate& candidate, Admission& admission);
  Result<Outcome> AdmitTask(Record record, Admission& admission);

  AdmitOptions options_;
};

}  // namespace kernelmill
