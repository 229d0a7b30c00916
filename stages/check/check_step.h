// Step "check": a check is written for each task with right answers and mutants, and kept when it
// tells them apart.
#pragma once

#include "manifests/config.h"
#include "stages/engine/step.h"
#include "stages/verify/judge/judge_pool.h"

namespace kernelmill {

std::vector<ConfigKey> CheckKeys();

struct CheckOptions {
  std::int64_t seed = 0;
  std::int64_t tries = 3;  // Checks for a task and a backend, until one holds.

  static Result<CheckOptions> Of(const Config& config);
};

class CheckStep : public Step {
 public:
  // `cache`: kIgnore for an audit, which takes no stored verdict as proof.
  explicit CheckStep(CheckOptions options, VerdictCache cache = VerdictCache::kUse)
      : options_(options), cache_(cache) {}

  std::string_view Name() const override { return "check"; }
  int Version() const override { return 4; }
  Json Parameters() const override;
  Result<std::unique_ptr<Lane>> OpenLane() override;
  // `input.body`: as of RenderStep. Kept: a record for each backend whose right answers a check lets
  // pass and at least kCaughtShare of whose mutants it does not. Dropped: tasks without that.
  Result<Outcome> Process(const Input& input, Lane& lane) override;

 private:
  const CheckOptions options_;
  const VerdictCache cache_;
};

}  // namespace kernelmill
