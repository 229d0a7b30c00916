// Declares and reads the options of the commands that run a pipeline from a configuration file:
// `sft`, `rft` and `mine`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "manifests/config.h"
#include "stages/recipes/sft_pipeline.h"

namespace kernelmill {

struct PipelineArguments {
  std::string configuration;
  std::string output;  // Empty means out/<name of the configuration>.
  std::vector<std::string> settings;
  int jobs = 0;  // 0 means one per processor.
  bool restart = false;
  bool outcomes = true;  // BuildOptions::outcomes.
  bool quiet = false;

  void AddTo(CLI::App& app);
  // Loads the configuration, which may set `keys`, and applies `settings`. kUsage when the
  // output folder is a file.
  Result<Config> Load(const std::vector<ConfigKey>& keys) const;
  BuildOptions ForRun() const;
};

}  // namespace kernelmill
