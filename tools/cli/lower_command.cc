#include <map>
#include <string>

#include "generators/graphs/generated_task.h"
#include "generators/lowering/lower_graph.h"
#include "manifests/commit_file.h"
#include "stages/verify/cpu_judge.h"
#include "stages/verify/judge.h"
#include "tools/cli/command.h"

namespace kernelmill {
namespace {

struct Options {
  std::int64_t count = 10;
  std::uint64_t seed = 0;
  std::vector<int> levels = {1, 2};
  std::string backend = "cuda";
  int ways = 1;
  bool sanitize = false;
  std::string output;
};

struct Tally {
  std::int64_t tasks = 0, answered = 0, in_two_ways = 0;
  std::map<std::string, std::int64_t> reasons;  // Of tasks, and answers, that came to nothing.

  std::string Text() const {
    std::string text = std::to_string(answered) + " of " + std::to_string(tasks) +
                       " tasks have a verified answer, " + std::to_string(in_two_ways) +
                       " have two that differ in structure\n";
    for (const auto& [reason, count] : reasons)
      text += std::to_string(count) + "\t" + reason + "\n";
    return text;
  }
};

// The answers of one task at the sizes that a CPU checks; those that are right are written.
Status LowerTask(TaskGenerator* tasks, const Options& options, Judge* judge, Tally* tally) {
  const KernelBackend backend =
      options.backend == "musa" ? KernelBackend::kMusa : KernelBackend::kCuda;
  std::string reference;
  tasks->AppendSource(SourceSizes::kSmall, &reference);
  const OperatorGraph& graph = tasks->graph().small();
  const ModuleText module = ModuleTextOf(tasks->graph().large(), graph, tasks->source().plan(),
                                         reference, SourceSizes::kSmall);
  ++tally->tasks;
  const std::vector<LoweredAnswer> answers = LowerInWays(graph, module, backend, options.ways);
  if (answers.empty()) {
    ++tally->reasons["not lowered: " + LowerGraph(graph, module, {.backend = backend}).refusal];
    return Status::Ok();
  }
  int right = 0;
  const std::string folder = options.output + '/' + tasks->Id();
  for (const LoweredAnswer& answer : answers) {
    KM_ASSIGN(const Verdict verdict, judge->Verify(reference, answer.text));
    if (verdict.status != VerdictStatus::kCorrect) {
      std::string operators;
      for (const Node& node : graph.nodes()) operators += ' ' + std::string(node.op->name);
      ++tally->reasons[std::string(StatusName(verdict.status)) + ' ' + verdict.reason + ':' +
                       operators];
      continue;
    }
    if (!options.output.empty()) {
      KM_RETURN_IF_ERROR(MakeFolders(folder));
      KM_RETURN_IF_ERROR(ReplaceFile(folder + "/reference.py", reference));
      KM_RETURN_IF_ERROR(ReplaceFile(
          folder + '/' + options.backend + '_' + std::to_string(right) + ".py", answer.text));
    }
    ++right;
  }
  tally->answered += right > 0;
  tally->in_two_ways += right > 1;
  return Status::Ok();
}

Status RunLower(const Options& options) {
  KM_ASSIGN(JudgeOptions judge_options, CpuJudge({.musa = options.backend == "musa",
                                                  .memory = options.sanitize,
                                                  .races = options.sanitize}));
  KM_ASSIGN(Judge judge, Judge::Start(std::move(judge_options)));
  TaskGenerator tasks({.seed = options.seed, .levels = options.levels});
  Tally tally;
  for (std::int64_t i = 0; i < options.count && tasks.Next(); ++i) {
    KM_RETURN_IF_ERROR(LowerTask(&tasks, options, &judge, &tally));
  }
  return Print(tally.Text());
}

}  // namespace

void AddLowerCommand(CLI::App& app, Action* action) {
  CLI::App* command = app.add_subcommand(
      "lower", "Answer generated tasks with kernels of our own, and keep those that are verified");
  auto options = std::make_shared<Options>();
  command->add_option("--count", options->count, "How many tasks")->check(CLI::PositiveNumber);
  command->add_option("--seed", options->seed, "Equal seeds give equal tasks and answers");
  command->add_option("--levels", options->levels, "Of tasks: 1,2 (the default), 3, 4")
      ->delimiter(',')
      ->check(CLI::Range(1, kLevels));
  command->add_option("--backend", options->backend, "cuda or musa")
      ->check(CLI::IsMember({"cuda", "musa"}));
  command->add_option("--ways", options->ways, "Answers of different structure to each task")
      ->check(CLI::PositiveNumber);
  command->add_flag("--sanitize", options->sanitize, "Check accesses for bounds and races too");
  command->add_option("--output", options->output, "Write ID/reference.py and answers here");
  command->callback([=] { *action = [=] { return RunLower(*options); }; });
}

}  // namespace kernelmill
