// Declares the options of `sft`, `mine` and `lock` about the repositories of a configuration.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "stages/recipes/dataset_build.h"

namespace kernelmill {

struct SourceArguments {
  int fetches = kUsualFetches;
  std::string lock;  // Empty for none.

  // --fetches.
  void AddFetchesTo(CLI::App& app);
  // --lock.
  void AddLockTo(CLI::App& app);
  void Apply(BuildOptions* options) const;
};

}  // namespace kernelmill
