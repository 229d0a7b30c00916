#include "tools/cli/run_arguments/executor_arguments.h"

#include <algorithm>
#include <utility>

#include "stages/launch/manual_executor.h"
#include "stages/launch/slurm_executor.h"
#include "stages/launch/slurm_queue.h"
#include "stages/queue/queue_executor.h"
#include "stages/queue/queued_run.h"
#include "stages/recipes/step_table.h"
#include "tools/cli/option_values.h"

namespace kernelmill {
namespace {

SlurmChoice ChoiceFor(const ExecutorArguments& arguments, int jobs) {
  return {.world = arguments.ranks, .jobs = std::max(jobs, 1), .options = arguments.sbatch};
}

}  // namespace

void ExecutorArguments::AddTo(CLI::App& app) {
  app.add_option(
         "--executor", executor,
         "Who does the partitions of each step: this process (local), array jobs of a Slurm "
         "cluster (slurm), or whoever runs `kernelmill step` (manual)")
      ->capture_default_str()
      ->check(OneOf({"local", "slurm", "manual"}))
      ->group(kWhereToRun);
  app.add_option("--ranks", ranks,
                 "With slurm: divide each step among this many tasks; by default each partition is "
                 "one (the key partitions says how many there are; verify has one for up to 16 "
                 "answers to a "
                 "task, at most 1024)")
      ->type_name(kNumber)
      ->check(WholeNumber(1, 99'999))
      ->group(kWhereToRun);
  app.add_option("--sbatch", sbatch,
                 "With slurm: an option of sbatch for the jobs of all steps, or with the name of a "
                 "step and a colon before it, for the jobs of this one. May be repeated")
      ->type_name("OPTION")
      ->type_size(1)
      ->allow_extra_args(false)
      ->group(kWhereToRun);
}

void ExecutorArguments::AddQueueTo(CLI::App& app) {
  app.add_option("--queue", queue,
                 "Have the answers built and judged by the workers of this Redis server "
                 "(kernelmill worker): redis://HOST[:PORT][/DATABASE]")
      ->type_name("URL")
      ->group(kWhereToRun);
}

Result<std::unique_ptr<StepExecutor>> ExecutorArguments::Make(
    int jobs, const std::vector<StepSpec>& steps) const {
  KM_ASSIGN(std::unique_ptr<StepExecutor> made, MakeExecutor(jobs, steps));
  if (queue.empty()) return made;
  KM_ASSIGN(QueueExecutor queued, QueueExecutor::Open(queue, std::move(made)));
  return std::unique_ptr<StepExecutor>(std::make_unique<QueueExecutor>(std::move(queued)));
}

Result<std::unique_ptr<StepExecutor>> ExecutorArguments::MakeExecutor(
    int jobs, const std::vector<StepSpec>& steps) const {
  if (!HasScripts() && (ranks > 0 || !sbatch.empty())) {
    return Status(ErrorCode::kUsage, "--ranks and --sbatch are for --executor slurm");
  }
  if (executor == "local") return std::unique_ptr<StepExecutor>();
  if (executor == "manual") {
    return std::unique_ptr<StepExecutor>(std::make_unique<ManualExecutor>());
  }
  const SlurmChoice choice = ChoiceFor(*this, jobs);
  KM_RETURN_IF_ERROR(choice.Check(NamesOfSteps(steps)));
  return std::unique_ptr<StepExecutor>(std::make_unique<SlurmExecutor>(choice));
}

Result<std::vector<std::string>> ExecutorArguments::Scripts(
    const std::string& output, int jobs, const Config& config,
    const std::vector<std::string>& steps) const {
  // A dry run may take place where there is no Slurm.
  const Result<std::int64_t> largest = MaxArraySize();
  std::vector<std::string> all;
  for (const std::string& step : steps) {
    if (!queue.empty() && step == QueuedRun::kStep) continue;
    KM_ASSIGN(const std::vector<std::string> scripts,
              PreviewScripts(output, step, config.Integer("partitions"), ChoiceFor(*this, jobs),
                             largest.ok() ? *largest : 0));
    all.insert(all.end(), scripts.begin(), scripts.end());
  }
  return all;
}

}  // namespace kernelmill
