// Step "slice": cuts one class out of its repository, with everything it needs, and guesses the
// arguments to build and call it with. Runs in the recipes "mine" and "sft" after "index"; "sample"
// chooses among its outputs.
#pragma once

#include "stages/engine/step.h"
#include "stages/mine/index_cache.h"
#include "stages/mine/mined_items.h"
#include "stages/mine/mining_options.h"

namespace kernelmill {

// Input: MinedClass. Output: one MinedModule, keyed by the SHA-256 of its code; the step "sample"
// merges equal modules of several repositories. Rejects a class without a forward(), one that
// cannot be sliced, whose slice has a file under a licence that is not allowed, or whose arguments
// cannot be guessed.
class SliceStep : public Step {
 public:
  SliceStep(std::shared_ptr<IndexCache> indices, MiningOptions options);
  std::string_view Name() const override { return "slice"; }
  int Version() const override { return 3; }
  Json Parameters() const override;
  Result<std::unique_ptr<Lane>> OpenLane() override;
  Result<Outcome> Process(const Input& input, Lane& lane) override;

 private:
  const std::shared_ptr<IndexCache> indices_;
  const MiningOptions options_;
};

}  // namespace kernelmill
