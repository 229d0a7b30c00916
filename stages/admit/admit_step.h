// Step "admit": a mined module becomes a task when it builds, runs and passes every check in the
// worker, and its annotation is written beside it. Arguments that fail are repaired by what the
// error says, a bounded number of times.
#pragma once

#include "corpora/module_candidate.h"
#include "stages/engine/step.h"
#include "stages/worker/torch_worker.h"

namespace kernelmill {

struct AdmitOptions {
  std::uint64_t seed = 0;  // Mixed with each task's content into the seed of its draws.
  WorkerLimits limits;
  // How many changed arguments are tried for one module after all that were mined have failed.
  int repairs = 12;
  // Tasks that call more operators keep their concrete shapes only.
  std::int64_t symbolic_operators = 128;
  Derivation mined;  // How the candidates were made: the first entry of the lineage.
};

// Input.body: ModuleCandidate as JSON. Kept: two records, a task and its annotation, as
// Record::Encode() under their raw content_id. Rejected: the reason of the arguments that came
// furthest, with the candidate's code as the original.
class AdmitStep : public Step {
 public:
  explicit AdmitStep(AdmitOptions options) : options_(std::move(options)) {}

  std::string_view Name() const override { return "admit"; }
  int Version() const override { return 3; }
  Json Parameters() const override;
  Result<std::unique_ptr<Lane>> OpenLane() override;
  Result<Outcome> Process(const Input& input, Lane& lane) override;

 private:
  AdmitOptions options_;
};

}  // namespace kernelmill
