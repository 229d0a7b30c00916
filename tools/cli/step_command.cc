#include <cstdlib>
#include <memory>

#include "stages/engine/progress.h"
#include "stages/launch/rank_share.h"
#include "stages/recipes/rank_run.h"
#include "tools/cli/command.h"
#include "tools/cli/option_values.h"

namespace kernelmill {
namespace {

struct Arguments {
  std::string folder;
  std::string step;
  RankWords words;
  int jobs = 1;
  bool quiet = false;
};

Status RunStep(const Arguments& arguments) {
  SetQuiet(arguments.quiet);
  KM_ASSIGN(const Share share,
            ShareOf(arguments.words, [](const char* name) { return std::getenv(name); }));
  return RunRank(
      {.output = arguments.folder, .step = arguments.step, .share = share, .jobs = arguments.jobs});
}

}  // namespace

Command StepCommand() {
  return {
      .name = "step",
      .group = CommandGroup::kBuild,
      .summary = "Do one rank's partitions of a step, for a run on several machines",
      .description =
          "The command that leads the run (sft, rft or verify, with --executor slurm or manual) "
          "freezes "
          "the plan of each step, whose inputs are divided into partitions. Of W ranks, rank R "
          "does the partitions R, R + W, R + 2 W and so on, and nothing else. Configuration and "
          "sources are those of the run. Any number of ranks may work at once, on every machine "
          "that sees the folder and has the same kernelmill; one that is started twice or killed "
          "does no harm, and the dataset does not depend on W.\n\n"
          "The rank is --rank, or else that of a task of a Slurm array job (SLURM_ARRAY_TASK_ID) "
          "or of a pod of a Kubernetes indexed job (JOB_COMPLETION_INDEX).\n\n"
          "The exit code is 0 when all partitions of the rank are committed, and 75 when the same "
          "command can succeed later, for example after the step before has finished.",
      .examples = {{"step out/corpus admit --rank 3 --world 16",
                    "Do every 16th partition of the step admit, from number 3 on."},
                   {"step out/corpus admit --world 2000 --offset 1000",
                    "In an array job: the ranks from 1000 on."}},
      .declare = [](CLI::App& app) -> Action {
        const auto arguments = std::make_shared<Arguments>();
        app.add_option("folder", arguments->folder, "The output folder of the run")
            ->type_name(kFolder)
            ->required();
        app.add_option("step", arguments->step, "The step, as `kernelmill status` names it")
            ->type_name("STEP")
            ->required();
        app.add_option("--rank", arguments->words.rank, "The number of this rank, from 0")
            ->type_name(kNumber)
            ->check(WholeNumber(0));
        app.add_option("--world", arguments->words.world,
                       "The number of ranks; by default that of the Slurm array job")
            ->type_name(kNumber)
            ->check(WholeNumber(1));
        app.add_option("--offset", arguments->words.offset,
                       "Add this to the rank of the array job or indexed job, for a step that is "
                       "cut into several jobs")
            ->type_name(kNumber)
            ->check(WholeNumber(0));
        AddJobsOption(app, &arguments->jobs, "Threads of this rank (default: 1)");
        app.add_flag("--quiet", arguments->quiet, "Print errors only");
        return [arguments] { return RunStep(*arguments); };
      },
  };
}

}  // namespace kernelmill
