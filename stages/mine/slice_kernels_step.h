// Step "slice_kernels": cuts one native kernel out of its repository, with everything that it
// needs. Runs in the recipes "mine" and "sft" after "index_kernels"; "render" explains the kernels
// in rows.
#pragma once

#include "corpora/records/record.h"
#include "stages/engine/step.h"
#include "stages/mine/index_cache.h"
#include "stages/mine/mining_options.h"

namespace kernelmill {

// Input: MinedKernel. Output: a Record of kind kKernel under the same key, with the attributes
// "name" and "launch_sites" ("path:line"). Rejects kernels whose licence is not allowed, that do
// not parse, or whose text could end a chat message. Counters: "complete" slices, kernels that are
// "launched", kernels that are "bound" to a Python name, "redacted" places.
class SliceKernelsStep : public Step {
 public:
  // `mined`: the derivation of the step's inputs.
  SliceKernelsStep(std::shared_ptr<IndexCache> indices, MiningOptions options, Derivation mined);
  std::string_view Name() const override { return "slice_kernels"; }
  int Version() const override { return 3; }
  Json Parameters() const override;
  Result<std::unique_ptr<Lane>> OpenLane() override;
  Result<Outcome> Process(const Input& input, Lane& lane) override;

 private:
  const std::shared_ptr<IndexCache> indices_;
  const MiningOptions options_;
  const Derivation mined_;
};

}  // namespace kernelmill
