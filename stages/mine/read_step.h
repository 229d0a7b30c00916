// Step "read": parses one file of a repository into what it defines, imports and uses. Runs in the
// recipes "mine" and "sft" after "walk"; "index" and "index_kernels" build the repository's index
// from its outputs (index_cache.h).
#pragma once

#include "stages/engine/step.h"
#include "stages/mine/mined_items.h"
#include "stages/mine/mining_options.h"

namespace kernelmill {

// Input: ListedFile. Output: the parsed file, or the licence that a licence file states, under the
// same key (read_operation.h). Drops generated files, pointers of Git LFS and Python files without
// a definition or an import; rejects, with their bytes, files that cannot be read, are binary or
// are not UTF-8.
class ReadStep : public Step {
 public:
  ReadStep(RepositoryFolders folders, MiningOptions options);
  std::string_view Name() const override { return "read"; }
  int Version() const override { return 5; }
  Json Parameters() const override { return Json::Object{{"kernels", options_.kernels}}; }
  Result<std::unique_ptr<Lane>> OpenLane() override;
  Result<Outcome> Process(const Input& input, Lane& lane) override;

 private:
  const RepositoryFolders folders_;
  const MiningOptions options_;
};

}  // namespace kernelmill
