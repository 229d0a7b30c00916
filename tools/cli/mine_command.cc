#include <memory>

#include "stages/engine/progress.h"
#include "stages/recipes/mine_listing.h"
#include "stages/recipes/sft_pipeline.h"
#include "tools/cli/command.h"
#include "tools/cli/option_values.h"
#include "tools/cli/output.h"
#include "tools/cli/run_arguments/pipeline_arguments.h"
#include "tools/cli/run_arguments/source_arguments.h"

namespace kernelmill {
namespace {

Status RunMine(const PipelineArguments& run, const SourceArguments& sources, bool json) {
  SetQuiet(run.quiet);
  KM_ASSIGN(const Config config, run.Load(SftKeys()));
  BuildOptions options = run.ForRun();
  sources.Apply(&options);
  KM_ASSIGN(const Json summary, WriteMineListing(config, options));
  const auto count = [&](std::string_view key) {
    return std::to_string(summary.Find(key)->as_int());
  };
  Say(options.output + ": " + count("candidates") + " modules in candidates.jsonl, " +
      count("kernels") + " kernels in kernels.jsonl, " + count("ports") +
      " kernels for two platforms in ports.jsonl, " + count("rejects") +
      " rejects in rejects.jsonl");
  return json ? PrintJson(summary) : Status::Ok();
}

}  // namespace

Command MineCommand() {
  return {
      .name = "mine",
      .group = CommandGroup::kBuild,
      .summary = "List the modules and kernels that sft would take from the repositories",
      .description =
          "It runs nothing of the repositories. It writes candidates.jsonl, "
          "kernels.jsonl, ports.jsonl and rejects.jsonl, which sft on the same folder and "
          "configuration then continues from.",
      .examples = {{"mine corpus.yaml", "List what the sources of corpus.yaml hold."},
                   {"mine corpus.yaml --output /tmp/try --set limit=50",
                    "List at most 50 modules, in another folder."}},
      .declare = [](CLI::App& app) -> Action {
        const auto run = std::make_shared<PipelineArguments>();
        const auto sources = std::make_shared<SourceArguments>();
        const auto json = std::make_shared<bool>(false);
        run->AddTo(app);
        sources->AddLockTo(app);
        sources->AddFetchesTo(app);
        AddJsonOption(app, json.get(), "Print mining.json on standard output");
        return [=] { return RunMine(*run, *sources, *json); };
      },
  };
}

}  // namespace kernelmill
