// Step "index_ports": lists the CUDA kernels of a repository of which it holds a version for
// another platform. Runs in the recipes "mine" and "sft" after "read"; "slice_ports" cuts out each
// pair.
#pragma once

#include "stages/engine/step.h"
#include "stages/mine/index_cache.h"

namespace kernelmill {

// Input: MinedRepository. Outputs: MinedPort. Counter: the "ports" in it.
class IndexPortsStep : public Step {
 public:
  explicit IndexPortsStep(std::shared_ptr<IndexCache> indices) : indices_(std::move(indices)) {}
  std::string_view Name() const override { return "index_ports"; }
  int Version() const override { return 1; }
  Json Parameters() const override { return Json::Object{}; }
  Result<Outcome> Process(const Input& input, Lane& lane) override;

 private:
  const std::shared_ptr<IndexCache> indices_;
};

}  // namespace kernelmill
