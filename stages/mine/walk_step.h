// Step "walk": lists the files of a repository that the step "read" reads. The first mining step of
// the recipes "mine" and "sft"; its inputs are the repositories that the run has found or fetched.
#pragma once

#include "stages/engine/step.h"
#include "stages/mine/mined_items.h"
#include "stages/mine/mining_options.h"

namespace kernelmill {

// Input: MinedRepository. Outputs: ListedFile, in path order. Counters: "entries" of the tree,
// "files" kept, "skipped.<reason>" for the rest; entries = files + skipped. Rejects a repository
// that cannot be read or has more entries than allowed; drops one of exclude_sources.
class WalkStep : public Step {
 public:
  WalkStep(RepositoryFolders folders, MiningOptions options);
  std::string_view Name() const override { return "walk"; }
  int Version() const override { return 3; }
  Json Parameters() const override;
  Result<std::unique_ptr<Lane>> OpenLane() override;
  Result<Outcome> Process(const Input& input, Lane& lane) override;

 private:
  const RepositoryFolders folders_;
  const MiningOptions options_;
};

}  // namespace kernelmill
