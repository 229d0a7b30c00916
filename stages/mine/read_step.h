// "read": one file → what it defines, imports and uses.
#pragma once

#include "stages/engine/step.h"
#include "stages/mine/mining_options.h"

namespace kernelmill {

// Input: MinedFile. Output: one SourceFile under the same key. Drops files without a definition,
// rejects those that cannot be read or are no UTF-8 text, with their bytes.
class ReadStep : public Step {
 public:
  ReadStep(SourceFolders folders, MiningOptions options);
  std::string_view Name() const override { return "read"; }
  int Version() const override { return 2; }
  Json Parameters() const override { return Json::Object{{"kernels", options_.kernels}}; }
  Result<std::unique_ptr<Lane>> OpenLane() override;
  Result<Outcome> Process(const Input& input, Lane& lane) override;

 private:
  const SourceFolders folders_;
  const MiningOptions options_;
};

}  // namespace kernelmill
