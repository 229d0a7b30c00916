#include "tools/cli/run_arguments/pipeline_arguments.h"

#include <filesystem>
#include <system_error>

#include "stages/worker/sandbox.h"
#include "tools/cli/configuration.h"
#include "tools/cli/option_values.h"

namespace kernelmill {

void PipelineArguments::AddTo(CLI::App& app) {
  app.add_option("configuration", configuration,
                 "A YAML file; `kernelmill config` explains its keys")
      ->type_name(kFile)
      ->required();
  app.add_option("--output", output,
                 "Write to this folder; by default out/<name of the configuration>")
      ->type_name(kFolder)
      ->group(kOutputGroup);
  app.add_option("--set", settings, "Override a key of the configuration")
      ->type_name(kSetting)
      ->type_size(1)
      ->allow_extra_args(false)
      ->group(kHowToRun);
  AddJobsOption(app, &jobs);
  app.add_flag("--restart", restart, "Discard an unfinished run in the output folder")
      ->group(kHowToRun);
  app.add_flag("--quiet", quiet, "Print errors only")->group(kHowToRun);
}

Result<Config> PipelineArguments::Load(const std::vector<ConfigKey>& keys) const {
  std::error_code error;
  const std::string folder = ForRun().output;
  if (!std::filesystem::is_directory(folder, error) &&
      std::filesystem::exists(std::filesystem::symlink_status(folder, error))) {
    return Status(
        ErrorCode::kUsage,
        folder + (std::filesystem::exists(folder, error) ? " is a file" : " is a link to nothing") +
            "; --output takes a folder");
  }
  return Config::Load(keys, configuration, settings);
}

BuildOptions PipelineArguments::ForRun() const {
  BuildOptions options;
  options.output = output.empty() ? DefaultOutput(configuration) : output;
  options.cache = CheckoutRoot() / ".cache" / "repositories";
  options.jobs = jobs;
  options.restart = restart;
  options.outcomes = outcomes;
  return options;
}

}  // namespace kernelmill
