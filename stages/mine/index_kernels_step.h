// Step "index_kernels": lists the __global__ functions of a repository. Runs in the recipes "mine"
// and "sft" after "read"; "slice_kernels" cuts out each kernel.
#pragma once

#include "stages/engine/step.h"
#include "stages/mine/index_cache.h"

namespace kernelmill {

// Input: MinedRepository. Outputs: MinedKernel. Counters: C++ and CUDA "files", "kernels" in them,
// and "launches" of kernels.
class IndexKernelsStep : public Step {
 public:
  explicit IndexKernelsStep(std::shared_ptr<IndexCache> indices) : indices_(std::move(indices)) {}
  std::string_view Name() const override { return "index_kernels"; }
  int Version() const override { return 1; }
  Json Parameters() const override { return Json::Object{}; }
  Result<Outcome> Process(const Input& input, Lane& lane) override;

 private:
  const std::shared_ptr<IndexCache> indices_;
};

}  // namespace kernelmill
