// Step "perturb": puts bugs into right answers, and keeps the mutants that fail, or are slower,
// when they are run. Runs in the recipe "sft" after "answer"; "check" and "render" use the mutants.
#pragma once

#include "manifests/config.h"
#include "stages/engine/step.h"
#include "stages/perturb/bug_draw.h"
#include "stages/verify/judge/judge_pool.h"

namespace kernelmill {

std::vector<ConfigKey> PerturbKeys();

struct PerturbOptions {
  std::int64_t seed = 0;
  std::int64_t mutants = 1;  // Mutants of each answer.
  std::int64_t tries = 3;    // Bugs that are tried for each mutant.
  FailureShares shares;

  static Result<PerturbOptions> Of(const Config& config);
};

class PerturbStep : public Step {
 public:
  // `store_use`: kIgnore for an audit, which takes no stored verdict as proof.
  explicit PerturbStep(PerturbOptions options, StoreUse store_use = StoreUse::kUse)
      : options_(std::move(options)), store_use_(store_use) {}

  std::string_view Name() const override { return "perturb"; }
  int Version() const override { return 10; }
  Json Parameters() const override;
  // Whatever compiles and runs kernels.
  Result<std::string> Surroundings() const override { return ExecutorKey(); }
  Result<std::unique_ptr<Lane>> OpenLane() override;
  // `input.body`: a JSON array of the encoded records about one task, itself and its candidates
  // among them (stages/engine/subject_records.h). Kept: a record for each mutant that was shown to
  // be wrong, or slower, under its content_id. Dropped: tasks without a right answer, and tasks for
  // whose answers no bug could be proved.
  Result<Outcome> Process(const Input& input, Lane& lane) override;

 private:
  PerturbOptions options_;
  StoreUse store_use_;
};

}  // namespace kernelmill
