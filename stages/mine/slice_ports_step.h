// Step "slice_ports": cuts a CUDA kernel and its version for another platform out of their
// repository, each with what it needs and the host code that launches it. Runs in the recipes
// "mine" and "sft" after "index_ports"; "compile_ports" compiles both.
#pragma once

#include "corpora/records/record.h"
#include "stages/engine/step.h"
#include "stages/mine/index_cache.h"
#include "stages/mine/mining_options.h"

namespace kernelmill {

// Input: MinedPort. Output: a Record of kind kPort under the same key, with the origins and the
// licences of both versions. Rejects as "slice_kernels" does. Drops pairs that do not differ, and
// those that differ in more than a row can explain. Counters: pairs that
// differ in "names_only", "redacted" places.
class SlicePortsStep : public Step {
 public:
  // `mined`: the derivation of the step's inputs.
  SlicePortsStep(std::shared_ptr<IndexCache> indices, MiningOptions options, Derivation mined);
  std::string_view Name() const override { return "slice_ports"; }
  int Version() const override { return 1; }
  Json Parameters() const override;
  Result<std::unique_ptr<Lane>> OpenLane() override;
  Result<Outcome> Process(const Input& input, Lane& lane) override;

 private:
  const std::shared_ptr<IndexCache> indices_;
  const MiningOptions options_;
  const Derivation mined_;
};

}  // namespace kernelmill
