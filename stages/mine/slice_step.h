// "slice": one class → a module candidate, or the reason why there is none.
#pragma once

#include "stages/engine/step.h"
#include "stages/mine/index_cache.h"
#include "stages/mine/mining_options.h"
#include "stages/mine/mining_plan.h"

namespace kernelmill {

// Input: MinedClass. Output: one ModuleCandidate, keyed by the SHA-256 of its code, so that equal
// modules of several repositories meet.
class SliceStep : public Step {
 public:
  SliceStep(std::shared_ptr<IndexCache> indices, MiningOptions options);
  std::string_view Name() const override { return "slice"; }
  int Version() const override { return 2; }
  Json Parameters() const override;
  Result<std::unique_ptr<Lane>> OpenLane() override;
  Result<Outcome> Process(const Input& input, Lane& lane) override;

 private:
  const std::shared_ptr<IndexCache> indices_;
  const MiningOptions options_;
};

}  // namespace kernelmill
