// Step "check": writes a check (Python that accepts right answers and rejects wrong ones) for each
// task that has right answers and mutants, and keeps it if it distinguishes them. Runs in the
// recipe "sft" after "answer" and "perturb"; "render" makes rows from the checks.
#pragma once

#include "manifests/config.h"
#include "stages/engine/step.h"
#include "stages/verify/judge/judge_pool.h"

namespace kernelmill {

std::vector<ConfigKey> CheckKeys();

struct CheckOptions {
  std::int64_t seed = 0;
  std::int64_t tries = 3;  // The most checks to try per task and backend.

  static Result<CheckOptions> Of(const Config& config);
};

class CheckStep : public Step {
 public:
  // `store_use`: kIgnore for an audit, which takes no stored verdict as proof.
  explicit CheckStep(CheckOptions options, StoreUse store_use = StoreUse::kUse)
      : options_(options), store_use_(store_use) {}

  std::string_view Name() const override { return "check"; }
  int Version() const override { return 7; }
  Json Parameters() const override;
  // Whatever compiles and runs kernels.
  Result<std::string> Surroundings() const override { return ExecutorKey(); }
  Result<std::unique_ptr<Lane>> OpenLane() override;
  // `input.body`: as in RenderStep::Process(). Kept: a record for each backend for which a check
  // accepts all right answers and rejects at least kCaughtShare of the mutants. Dropped: tasks
  // without such a check.
  Result<Outcome> Process(const Input& input, Lane& lane) override;

 private:
  const CheckOptions options_;
  const StoreUse store_use_;
};

}  // namespace kernelmill
