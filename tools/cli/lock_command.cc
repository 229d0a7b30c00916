#include <memory>
#include <string>
#include <vector>

#include "manifests/commit_file.h"
#include "manifests/printable.h"
#include "stages/engine/progress.h"
#include "stages/recipes/configured_sources.h"
#include "stages/recipes/sft_pipeline.h"
#include "stages/worker/sandbox.h"
#include "tools/cli/command.h"
#include "tools/cli/option_values.h"
#include "tools/cli/output.h"
#include "tools/cli/run_arguments/source_arguments.h"

namespace kernelmill {
namespace {

struct Arguments {
  std::string configuration;
  std::string output;  // Empty means kLockName beside the configuration.
  std::vector<std::string> settings;
  SourceArguments sources;
  bool json = false;
  bool quiet = false;
};

Status RunLock(const Arguments& arguments) {
  SetQuiet(arguments.quiet);
  KM_ASSIGN(const Config config,
            Config::Load(SftKeys(), arguments.configuration, arguments.settings));
  BuildOptions options;
  options.cache = CheckoutRoot() / ".cache" / "repositories";
  arguments.sources.Apply(&options);
  KM_ASSIGN(const ResolvedSources sources, ResolveSources(config, SourceOptionsOf(options)));
  const std::string path = arguments.output.empty()
                               ? FolderOf(arguments.configuration) + "/" + std::string(kLockName)
                               : arguments.output;
  const std::string text = sources.lock.Encode();
  KM_RETURN_IF_ERROR(ReplaceFile(path, text));
  const std::size_t count = sources.lock.sources.size();
  Say(path + ": " + std::to_string(count) + (count == 1 ? " repository" : " repositories"));
  if (!arguments.json) return Status::Ok();
  KM_ASSIGN(Json json, Json::Parse(text));
  return PrintJson(std::move(json));
}

}  // namespace

Command LockCommand() {
  return {
      .name = "lock",
      .group = CommandGroup::kBuild,
      .summary = "Write down the commits of the repositories of a configuration",
      .description =
          "It finds the commit that each source of the configuration names today, fetches it, and "
          "writes a lock: sft and mine with --lock take exactly these commits, on any day and "
          "machine, and make the same dataset. A lock that is there is replaced. Each run writes "
          "one of its own, OUTPUT/.run/sources.lock.",
      .examples = {{"lock corpus.yaml", "Write sources.lock beside corpus.yaml."},
                   {"lock corpus.yaml --output corpus.lock --fetches 8",
                    "Write corpus.lock, and fetch eight repositories at a time."}},
      .declare = [](CLI::App& app) -> Action {
        const auto arguments = std::make_shared<Arguments>();
        app.add_option("configuration", arguments->configuration,
                       "A YAML file; `kernelmill config` explains its keys")
            ->type_name(kFile)
            ->required();
        app.add_option("--output", arguments->output,
                       "Write to this file; by default sources.lock beside the configuration")
            ->type_name(kFile)
            ->group(kOutputGroup);
        app.add_option("--set", arguments->settings, "Override a key of the configuration")
            ->type_name(kSetting)
            ->type_size(1)
            ->allow_extra_args(false)
            ->group(kHowToRun);
        arguments->sources.AddFetchesTo(app);
        app.add_flag("--quiet", arguments->quiet, "Print errors only")->group(kHowToRun);
        AddJsonOption(app, &arguments->json, "Print the lock on standard output too");
        return [arguments] { return RunLock(*arguments); };
      },
  };
}

}  // namespace kernelmill
