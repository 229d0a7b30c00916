#include <unistd.h>

#include "stages/engine/progress.h"
#include "stages/recipes/sft_pipeline.h"
#include "stages/recipes/sft_preview.h"
#include "stages/worker/sandbox.h"
#include "tools/cli/command.h"
#include "tools/cli/configuration.h"

namespace kernelmill {
namespace {

struct Arguments {
  std::string configuration;
  std::string output;
  int jobs = 0;
  int limit = -1;
  std::vector<std::string> settings;
  bool json = false;
  bool restart = false;
  bool quiet = false;
  bool dry_run = false;
  int shuffle = -1;
};

Status RunSft(const Arguments& arguments) {
  SetQuiet(arguments.quiet);
  std::vector<std::string> settings = arguments.settings;
  if (arguments.limit >= 0) settings.push_back("limit=" + std::to_string(arguments.limit));
  KM_ASSIGN(const Config config,
            Config::Load(ConfigurationKeys(), arguments.configuration, settings));
  SftOptions options;
  options.output =
      arguments.output.empty() ? DefaultOutput(arguments.configuration) : arguments.output;
  options.cache = CheckoutRoot() / ".cache" / "repositories";
  options.jobs = arguments.jobs;
  options.restart = arguments.restart;
  options.shuffle = arguments.shuffle >= 0;
  options.shuffle_seed = static_cast<std::uint64_t>(std::max(arguments.shuffle, 0));
  if (arguments.dry_run) {
    KM_ASSIGN(const SftPreview preview, PreviewSft(config, options));
    return Print(arguments.json ? preview.ToJson().Pretty() : preview.Text());
  }
  KM_ASSIGN(const BuiltDataset built, BuildSftDataset(config, options));
  Say(built.summary.Text());
  if (arguments.json) return Print(built.manifest.Encode());
  return Status::Ok();
}

}  // namespace

void AddSftCommand(CLI::App& app, Action* action) {
  CLI::App* command = app.add_subcommand("sft", "Build an SFT dataset from a configuration");
  auto arguments = std::make_shared<Arguments>();
  command->add_option("configuration", arguments->configuration, "A YAML file")->required();
  command->add_option("--output", arguments->output,
                      "The dataset's folder; by default out/<name of the configuration>");
  command->add_option("--jobs", arguments->jobs, "Threads; by default one a processor")
      ->check(CLI::Range(0, 4096));
  command->add_option("--limit", arguments->limit, "Take at most this many module candidates")
      ->check(kNonNegative);
  command->add_option("--set", arguments->settings, "Override a key: key=value")
      ->type_size(1)
      ->allow_extra_args(false);
  command->add_flag("--json", arguments->json, "Print the manifest as one JSON document");
  command->add_flag("--restart", arguments->restart, "Forget an unfinished run in the folder");
  command->add_flag("--quiet", arguments->quiet, "Say nothing but errors");
  command->add_flag("--dry-run", arguments->dry_run,
                    "Say what would be done: sources, files, steps. Nothing is fetched or written");
  command->add_option("--shuffle", arguments->shuffle,
                      "Process in the random order of this seed; the dataset is the same");
  command->callback([=] { *action = [=] { return RunSft(*arguments); }; });
}

}  // namespace kernelmill
