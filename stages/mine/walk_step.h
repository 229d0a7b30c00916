// "walk": one repository → the files in it that are worth reading.
#pragma once

#include "stages/engine/step.h"
#include "stages/mine/mining_options.h"

namespace kernelmill {

// Input: MinedSource. Outputs: MinedFile, in path order. Counters: "entries" is everything in the
// tree, "files" what is kept, "skipped.<reason>" the rest; they add up. Rejects a repository that
// cannot be read or has more entries than allowed.
class WalkStep : public Step {
 public:
  WalkStep(SourceFolders folders, MiningOptions options);
  std::string_view Name() const override { return "walk"; }
  int Version() const override { return 2; }
  Json Parameters() const override;
  Result<std::unique_ptr<Lane>> OpenLane() override;
  Result<Outcome> Process(const Input& input, Lane& lane) override;

 private:
  const SourceFolders folders_;
  const MiningOptions options_;
};

}  // namespace kernelmill
