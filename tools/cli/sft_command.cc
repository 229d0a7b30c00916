#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "manifests/json_fields.h"
#include "stages/engine/progress.h"
#include "stages/recipes/sft_pipeline.h"
#include "stages/recipes/sft_preview.h"
#include "stages/recipes/step_table.h"
#include "tools/cli/command.h"
#include "tools/cli/option_values.h"
#include "tools/cli/output.h"
#include "tools/cli/run_arguments/executor_arguments.h"
#include "tools/cli/run_arguments/pipeline_arguments.h"
#include "tools/cli/run_arguments/source_arguments.h"

namespace kernelmill {
namespace {

struct Arguments {
  PipelineArguments run;
  SourceArguments sources;
  ExecutorArguments executor;
  int limit = -1;
  int shuffle = -1;
  bool dry_run = false;
  bool json = false;
};

Status ShowPlan(const Arguments& arguments, const Config& config, const BuildOptions& options) {
  KM_ASSIGN(const SftPreview preview, PreviewSft(config, options));
  Json json = preview.ToJson();
  std::string text = preview.Text();
  if (arguments.executor.HasScripts()) {
    std::vector<std::string> steps;
    for (const SftPreview::Step& step : preview.steps) {
      const StepSpec* const spec = FindStep(StepTable(), step.name);
      if (step.off.empty() && spec->make != nullptr) steps.push_back(step.name);
    }
    KM_ASSIGN(const std::vector<std::string> scripts,
              arguments.executor.Scripts(options.output, options.jobs, config, steps));
    json["scripts"] = kernelmill::ToJson(scripts);
    for (const std::string& script : scripts) text += "\n" + script;
  }
  return arguments.json ? PrintJson(std::move(json)) : Print(text);
}

Status RunSft(const Arguments& arguments) {
  SetQuiet(arguments.run.quiet);
  PipelineArguments run = arguments.run;
  if (arguments.limit >= 0) run.settings.push_back("limit=" + std::to_string(arguments.limit));
  KM_ASSIGN(const Config config, run.Load(SftKeys()));
  BuildOptions options = run.ForRun();
  arguments.sources.Apply(&options);
  options.shuffle = arguments.shuffle >= 0;
  options.shuffle_seed = static_cast<std::uint64_t>(std::max(arguments.shuffle, 0));
  KM_ASSIGN(const std::unique_ptr<StepExecutor> executor,
            arguments.executor.Make(run.jobs, StepsOf("sft")));
  options.executor = executor.get();
  if (arguments.dry_run) return ShowPlan(arguments, config, options);
  KM_ASSIGN(const BuiltDataset built, BuildSftDataset(config, options));
  Say(built.summary.Text());
  if (const std::string warning = built.summary.Warning(); !warning.empty()) Warn(warning);
  if (!arguments.json) return Status::Ok();
  KM_ASSIGN(Json manifest, Json::Parse(built.manifest.Encode()));
  return PrintJson(std::move(manifest));
}

}  // namespace

Command SftCommand() {
  return {
      .name = "sft",
      .group = CommandGroup::kBuild,
      .summary = "Build an SFT dataset from a configuration",
      .description =
          "It mines the repositories of the configuration, draws tasks, runs them in a "
          "sandbox, writes and judges native answers, and publishes a sharded dataset "
          "with a manifest. When it is stopped or killed, the same command continues "
          "where it stopped, and the dataset is the same. An output folder that holds "
          "the complete dataset of the same configuration is left alone.",
      .examples = {{"sft corpus.yaml --dry-run",
                    "Show sources, files and steps; fetch and write nothing."},
                   {"sft corpus.yaml", "Build out/corpus."},
                   {"sft corpus.yaml --lock sources.lock",
                    "Build it from the commits that `kernelmill lock` wrote down."},
                   {"sft corpus.yaml --executor slurm --set partitions=200",
                    "Build it on a Slurm cluster, with 200 tasks for each step."},
                   {"sft corpus.yaml --limit 50 --output /tmp/try --set mine.slice_lines=200",
                    "Try the pipeline on 50 modules, with another limit for slices."}},
      .declare = [](CLI::App& app) -> Action {
        const auto arguments = std::make_shared<Arguments>();
        arguments->run.AddTo(app);
        AddOutcomesOption(app, &arguments->run.outcomes);
        arguments->sources.AddLockTo(app);
        arguments->sources.AddFetchesTo(app);
        arguments->executor.AddTo(app);
        app.add_option("--limit", arguments->limit, "Take at most this many mined modules")
            ->type_name(kNumber)
            ->check(WholeNumber(0))
            ->group(kHowToRun);
        app.add_flag(
               "--dry-run", arguments->dry_run,
               "Show what would be done: sources, files, steps, and with --executor slurm the "
               "job scripts. Nothing is fetched, run or written")
            ->group(kHowToRun);
        app.add_option("--shuffle", arguments->shuffle,
                       "Process the inputs in the random order of this seed; the dataset is the "
                       "same")
            ->type_name("SEED")
            ->check(WholeNumber(0))
            ->group(kHowToRun);
        AddJsonOption(app, &arguments->json,
                      "Print the manifest, or with --dry-run the plan, as one JSON document");
        return [arguments] { return RunSft(*arguments); };
      },
  };
}

}  // namespace kernelmill
