// Step "sample": merges equal mined modules and applies two limits, one for each source and one
// for the run. Runs in the recipes "mine" and "sft" after "slice"; "admit" tries the modules
// that it keeps. The choice follows a seeded hash of the content, so it depends neither on order
// nor on partitions, and adding or removing a source does not change the choice within the others.
#pragma once

#include "corpora/records/mined_module.h"
#include "manifests/config.h"
#include "stages/engine/run.h"
#include "stages/engine/step.h"

namespace kernelmill {

std::vector<ConfigKey> SampleKeys();

class SampleStep : public Step {
 public:
  // `input_step` is the step whose outputs, MinedModules, are sampled.
  SampleStep(const Config& config, std::string input_step);

  std::string_view Name() const override { return "sample"; }
  int Version() const override { return 1; }
  Json Parameters() const override;
  // Outputs the MinedModule, or drops it as "limit" or "source_cap".
  Result<Outcome> Process(const Input& input, Lane& lane) override;

  // Every module with its rank; holds 32 bytes per module in memory. With `wanted`, only
  // modules of these origins, all with rank 0, so that neither limit drops one.
  Run::Propose Inputs(const Run& run, const OriginFilter& wanted = nullptr) const;

 private:
  std::string input_step_;
  std::int64_t seed_;
  std::int64_t limit_;
  std::int64_t max_per_source_;
};

}  // namespace kernelmill
