#include <memory>

#include "manifests/commit_file.h"
#include "stages/engine/progress.h"
#include "stages/scores/score_report.h"
#include "tools/cli/command.h"
#include "tools/cli/option_values.h"
#include "tools/cli/output.h"

namespace kernelmill {
namespace {

struct Arguments {
  ScoreRequest request;
  std::string page;
  bool json = false;
};

Status RunScore(const Arguments& arguments) {
  KM_ASSIGN(const ScoreReport report, MakeScoreReport(arguments.request));
  if (!arguments.page.empty()) {
    KM_RETURN_IF_ERROR(ReplaceFile(arguments.page, report.Page()));
    Say("wrote " + arguments.page);
  }
  return arguments.json ? PrintJson(report.ToJson()) : Print(report.Text());
}

}  // namespace

Command ScoreCommand() {
  return {
      .name = "score",
      .group = CommandGroup::kAnswers,
      .summary = "Score judged samples of a model: Pass@k, correct, legal, faster",
      .description =
          "It reads verdicts.jsonl, which `verify` and RFT datasets hold, or eval_results.json of "
          "KernelBench, and prints the scores of all tasks, of each level and of each family of "
          "operators, with confidence intervals. What was not measured is n/a. Samples whose "
          "verdict says nothing about the answer are counted apart.\n\n"
          "Tasks are looked up in the dataset, in --tasks or in --kernelbench. With a checkout "
          "and --level, eval_results.json is also counted as KernelBench's own analysis does.",
      .examples =
          {{"score out/verdicts --tasks out/corpus", "Score the verdicts of a run of verify."},
           {"score KernelBench/runs/mine/eval_results.json --level 1 --kernelbench KernelBench "
            "--baseline KernelBench/results/timing/H100_Modal/baseline_time_torch.json",
            "Score a run that KernelBench has timed."},
           {"score out/verdicts --k 1,8 --html scores.html --json",
            "Print JSON, and write a page with plots."}},
      .declare = [](CLI::App& app) -> Action {
        constexpr char kTasks[] = "What is known of the tasks";
        const auto arguments = std::make_shared<Arguments>();
        ScoreRequest& request = arguments->request;
        app.add_option("source", request.source,
                       "A folder with verdicts.jsonl or eval_results.json, or one of these files")
            ->type_name(kFile)
            ->required();
        app.add_option("--tasks", request.tasks, "The dataset that the tasks are from")
            ->type_name(kFolder)
            ->group(kTasks);
        app.add_option("--kernelbench", request.kernelbench, "A checkout of KernelBench")
            ->type_name(kFolder)
            ->group(kTasks);
        app.add_option("--level", request.level, "The level that eval_results.json is about")
            ->type_name(kNumber)
            ->check(WholeNumber(1, 4))
            ->group(kTasks);
        app.add_option("--baseline", request.baseline,
                       "Times of PyTorch on the same device, as KernelBench's results/timing has "
                       "them")
            ->type_name(kFile)
            ->group(kTasks);
        app.add_option("--k", request.ks,
                       "The values of k for Pass@k and Avg@k; by default 1, 2, 4 and so on")
            ->type_name(kNumber)
            ->delimiter(',')
            ->check(WholeNumber(1));
        app.add_option("--html", arguments->page, "Write a page with plots to this file")
            ->type_name(kFile)
            ->group(kOutputGroup);
        AddJsonOption(app, &arguments->json);
        return [arguments] { return RunScore(*arguments); };
      },
  };
}

}  // namespace kernelmill
