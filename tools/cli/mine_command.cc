#include "stages/engine/progress.h"
#include "stages/recipes/mine_listing.h"
#include "stages/worker/sandbox.h"
#include "tools/cli/command.h"
#include "tools/cli/configuration.h"

namespace kernelmill {
namespace {

struct Arguments {
  std::string configuration;
  std::string output;
  int jobs = 0;
  std::vector<std::string> settings;
  bool json = false;
  bool restart = false;
  bool quiet = false;
};

Status RunMine(const Arguments& arguments) {
  SetQuiet(arguments.quiet);
  KM_ASSIGN(const Config config,
            Config::Load(ConfigurationKeys(), arguments.configuration, arguments.settings));
  SftOptions options;
  options.output =
      arguments.output.empty() ? DefaultOutput(arguments.configuration) : arguments.output;
  options.cache = CheckoutRoot() / ".cache" / "repositories";
  options.jobs = arguments.jobs;
  options.restart = arguments.restart;
  KM_ASSIGN(const Json summary, WriteMineListing(config, options));
  const auto count = [&](std::string_view key) {
    return std::to_string(summary.Find(key)->as_int());
  };
  Say(options.output + ": " + count("candidates") + " modules in candidates.jsonl, " +
      count("kernels") + " kernels in kernels.jsonl, " + count("rejects") +
      " turned away in rejects.jsonl");
  if (arguments.json) return Print(summary.Pretty());
  return Status::Ok();
}

}  // namespace

void AddMineCommand(CLI::App& app, Action* action) {
  CLI::App* command =
      app.add_subcommand("mine", "Only mine: list the modules and kernels that sft would take up");
  auto arguments = std::make_shared<Arguments>();
  command->add_option("configuration", arguments->configuration, "A YAML file")->required();
  command->add_option("--output", arguments->output,
                      "The folder to write to; by default out/<name of the configuration>");
  command->add_option("--jobs", arguments->jobs, "Threads; by default one a processor")
      ->check(CLI::Range(0, 4096));
  command->add_option("--set", arguments->settings, "Override a key: key=value")
      ->type_size(1)
      ->allow_extra_args(false);
  command->add_flag("--json", arguments->json, "Print mining.json on standard output");
  command->add_flag("--restart", arguments->restart, "Forget an unfinished run in the folder");
  command->add_flag("--quiet", arguments->quiet, "Say nothing but errors");
  command->callback([=] { *action = [=] { return RunMine(*arguments); }; });
}

}  // namespace kernelmill
