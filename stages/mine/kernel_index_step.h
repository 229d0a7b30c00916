// "index_kernels": one repository → its __global__ functions.
#pragma once

#include "stages/engine/step.h"
#include "stages/mine/index_cache.h"

namespace kernelmill {

// Input: MinedSource. Outputs: MinedKernel. Counters: "files" that are C++ or CUDA, "kernels" in
// them, "launches" of any kernel.
class KernelIndexStep : public Step {
 public:
  explicit KernelIndexStep(std::shared_ptr<IndexCache> indices) : indices_(std::move(indices)) {}
  std::string_view Name() const override { return "index_kernels"; }
  int Version() const override { return 1; }
  Json Parameters() const override { return Json::Object{}; }
  Result<Outcome> Process(const Input& input, Lane& lane) override;

 private:
  const std::shared_ptr<IndexCache> indices_;
};

}  // namespace kernelmill
