#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "manifests/json_fields.h"
#include "stages/buffer/buffer_step.h"
#include "stages/engine/progress.h"
#include "stages/recipes/rft_pipeline.h"
#include "stages/recipes/step_table.h"
#include "tools/cli/command.h"
#include "tools/cli/option_values.h"
#include "tools/cli/output.h"
#include "tools/cli/run_arguments/executor_arguments.h"
#include "tools/cli/run_arguments/pipeline_arguments.h"

namespace kernelmill {
namespace {

struct Arguments {
  PipelineArguments run;
  ExecutorArguments executor;
  bool dry_run = false;
  bool allow_protected = false;
  std::int64_t round = 0;
  bool json = false;
};

Status ShowScripts(const Arguments& arguments, const Config& config, const BuildOptions& options) {
  if (!arguments.executor.HasScripts()) {
    return Status(ErrorCode::kUsage, "--dry-run prints job scripts, so it needs --executor slurm");
  }
  KM_ASSIGN(const std::vector<std::string> scripts,
            arguments.executor.Scripts(options.output, options.jobs, config,
                                       NamesOfSteps(StepsOf("rft"))));
  if (arguments.json) return PrintJson(Json::Object{{"scripts", kernelmill::ToJson(scripts)}});
  std::string text;
  for (const std::string& script : scripts) text += script + "\n";
  return Print(text);
}

Status RunRft(const Arguments& arguments) {
  SetQuiet(arguments.run.quiet);
  PipelineArguments run = arguments.run;
  if (arguments.allow_protected) run.settings.emplace_back("allow_protected=true");
  if (arguments.round > 0) {
    run.settings.push_back(std::string(kRoundKey) + "=" + std::to_string(arguments.round));
  }
  KM_ASSIGN(const Config config, run.Load(RftKeys()));
  BuildOptions options = run.ForRun();
  ExecutorArguments asked = arguments.executor;
  if (arguments.dry_run) asked.queue.clear();  // It connects to no server.
  KM_ASSIGN(const std::unique_ptr<StepExecutor> executor, asked.Make(run.jobs, StepsOf("rft")));
  options.executor = executor.get();
  if (arguments.dry_run) return ShowScripts(arguments, config, options);
  KM_ASSIGN(const BuiltDataset built, BuildRftDataset(config, options));
  Say(built.summary.Text());
  if (const std::string warning = built.summary.Warning(); !warning.empty()) Warn(warning);
  if (!arguments.json) return Status::Ok();
  KM_ASSIGN(Json manifest, Json::Parse(built.manifest.Encode()));
  return PrintJson(std::move(manifest));
}

}  // namespace

Command RftCommand() {
  return {
      .name = "rft",
      .group = CommandGroup::kBuild,
      .summary = "Select training data from samples of a model",
      .description =
          "It joins the samples of the configuration to their tasks, judges every one, and "
          "publishes a dataset: correct samples of different structure are rows, in pools with "
          "weights, and wrong ones are rows to repair where a correct sample shows how. The "
          "dataset also has the verdicts and scores of all samples. Samples of problems of a "
          "protected benchmark get both and never become rows.\n\n"
          "Tasks that no sample solves go into a retry buffer, in retry/ of the dataset, with the "
          "answer that came closest. retry/prompts.jsonl has the prompts to repair some of them, "
          "and `export --retries` writes requests for these. The next round names this dataset as "
          "retry.previous and takes answers to both kinds of prompts: right repairs are rows of "
          "the family repair, and their tasks leave the buffer.\n\n"
          "When it is stopped or killed, the same command continues where it stopped, and the "
          "dataset is the same.",
      .examples = {{"rft samples.yaml", "Build out/samples."},
                   {"rft samples.yaml --output /tmp/try --set select.k_max=4",
                    "Train at most four samples for one task and backend."},
                   {"rft samples.yaml --queue redis://queue:6379",
                    "Have the samples judged by the workers of a queue."},
                   {"rft samples.yaml --allow-protected",
                    "Train samples of benchmark problems too, and mark everything."},
                   {"rft round2.yaml --round 2 --set retry.previous=out/samples",
                    "Go on with the retry buffer of out/samples, which must be of round 1."}},
      .declare = [](CLI::App& app) -> Action {
        const auto arguments = std::make_shared<Arguments>();
        arguments->run.AddTo(app);
        AddOutcomesOption(app, &arguments->run.outcomes);
        arguments->executor.AddTo(app);
        arguments->executor.AddQueueTo(app);
        app.add_flag("--dry-run", arguments->dry_run,
                     "With --executor slurm: print the scripts of the jobs; nothing is run or "
                     "written")
            ->group(kHowToRun);
        app.add_flag("--allow-protected", arguments->allow_protected,
                     "Make rows from samples of protected benchmark problems too. The dataset, its "
                     "card and these rows are marked as contaminated")
            ->group(kHowToRun);
        app.add_option("--round", arguments->round,
                       "The number of this round, as retry.round: round N goes on with the retry "
                       "buffer of round N - 1, which retry.previous names")
            ->type_name(kNumber)
            ->check(WholeNumber(1))
            ->group(kHowToRun);
        AddJsonOption(app, &arguments->json, "Print the manifest as one JSON document");
        return [arguments] { return RunRft(*arguments); };
      },
  };
}

}  // namespace kernelmill
