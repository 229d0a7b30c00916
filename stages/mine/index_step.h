// Step "index": lists the classes of a repository that derive from nn.Module. Runs in the recipes
// "mine" and "sft" after "read"; "slice" cuts out each class. The index itself is no output:
// IndexCache builds it from the outputs of "read" when a step asks for it.
#pragma once

#include "stages/engine/step.h"
#include "stages/mine/index_cache.h"

namespace kernelmill {

// Input: MinedRepository. Outputs: MinedClass. Counters: "classes", distinct by file and name, and
// "modules", those of them that derive from nn.Module.
class IndexStep : public Step {
 public:
  explicit IndexStep(std::shared_ptr<IndexCache> indices) : indices_(std::move(indices)) {}
  std::string_view Name() const override { return "index"; }
  int Version() const override { return 1; }
  Json Parameters() const override { return Json::Object{}; }
  Result<Outcome> Process(const Input& input, Lane& lane) override;

 private:
  const std::shared_ptr<IndexCache> indices_;
};

}  // namespace kernelmill
