// The options that purge, merge and append share: where the new dataset is built, and how.
#pragma once

#include <string>
#include <vector>

#include "stages/audit/rederive.h"
#include "stages/recipes/dataset_build.h"
#include "tools/cli/command.h"

namespace kernelmill {

struct RebuildArguments {
  BuildOptions build;
  std::vector<std::string> sources;
  bool quiet = false;
  bool json = false;

  void AddTo(CLI::App& app);
  // RederiveOptions::sources. kUsage for one that is no ORIGIN=PATH.
  Result<std::map<std::string, std::string>> Sources() const;
  // With the cache of repositories of this checkout.
  BuildOptions Build() const;
  // Shows the summary of what was built, or with --json the manifest.
  Status Show(const BuiltDataset& built) const;
};

}  // namespace kernelmill
