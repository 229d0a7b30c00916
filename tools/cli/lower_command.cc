#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "corpora/operators/operator_table.h"
#include "generators/graphs/generated_task.h"
#include "generators/lowering/lower_graph.h"
#include "manifests/commit_file.h"
#include "stages/engine/interrupt.h"
#include "stages/verify/cpu_judge.h"
#include "stages/verify/judge.h"
#include "tools/cli/command.h"
#include "tools/cli/lowering_report.h"

namespace kernelmill {
namespace {

struct Options {
  std::int64_t count = 10;
  std::uint64_t seed = 0;
  std::vector<int> levels = {1, 2};
  std::string backend = "cuda";
  int ways = 1;
  bool every_operator = false;
  std::vector<std::string> operators;
  bool unverified = false;
  bool sanitize = false;
  bool json = false;
  std::string output;
};

// Which tasks are taken: all, those with certain operators, or so that no operator is left behind.
class TaskFilter {
 public:
  explicit TaskFilter(const Options& options) : options_(options) {}

  bool Takes(const OperatorGraph& graph) {
    if (!options_.operators.empty() && !HasNamed(graph)) return false;
    if (!options_.every_operator) return true;
    // Some operators come once in many thousand tasks: after so many, the others go on.
    constexpr int kPatience = 30'000;
    if (++refused_ > kPatience || IsRoundDone()) {
      ++round_;
      refused_ = 0;
    }
    bool takes = false;
    for (const Node& node : graph.nodes()) takes |= taken_[node.op] <= round_;
    if (!takes) return false;
    refused_ = 0;
    for (const Node& node : graph.nodes()) {
      if (taken_[node.op]++ == round_) ++ahead_[round_];
    }
    return true;
  }

 private:
  bool HasNamed(const OperatorGraph& graph) const {
    return std::any_of(graph.nodes().begin(), graph.nodes().end(), [&](const Node& node) {
      return std::find(options_.operators.begin(), options_.operators.end(), node.op->name) !=
             options_.operators.end();
    });
  }
  bool IsRoundDone() { return ahead_[round_] == static_cast<int>(Operators().size()); }

  const Options& options_;
  std::map<const OperatorRow*, int> taken_;
  std::map<int, int> ahead_;  // Of each round, the operators that have a task of it.
  int round_ = 0, refused_ = 0;
};

Status WriteAnswer(const std::string& folder, const std::string& name, const std::string& text,
                   const Verdict& verdict) {
  KM_RETURN_IF_ERROR(ReplaceFile(folder + '/' + name + ".py", text));
  return ReplaceFile(folder + '/' + name + ".json", verdict.ToJson().Pretty());
}

// The answers of one task at the sizes that a CPU checks.
Result<LoweringResult> LowerTask(TaskGenerator* tasks, const Options& options, Judge* judge) {
  const KernelBackend backend = KernelBackendOf(options.backend);
  std::string reference;
  tasks->AppendSource(SourceSizes::kSmall, &reference);
  const OperatorGraph& graph = tasks->graph().small();
  const ModuleText module = ModuleTextOf(tasks->graph().large(), graph, tasks->source().plan(),
                                         reference, SourceSizes::kSmall);
  LoweringResult result;
  result.id = tasks->Id();
  result.backend = options.backend;
  result.level = tasks->graph().level();
  for (const Node& node : graph.nodes()) result.operators.emplace_back(node.op->name);
  const std::vector<LoweredAnswer> answers =
      LowerInWays(graph, module, backend, options.ways, &result.refusal);
  const std::string folder = options.output + '/' + result.id;
  if (!options.output.empty()) {
    KM_RETURN_IF_ERROR(MakeFolders(folder));
    KM_RETURN_IF_ERROR(ReplaceFile(folder + "/reference.py", reference));
  }
  for (std::size_t i = 0; i < answers.size(); ++i) {
    LoweringResult::Answer answer;
    answer.structure = answers[i].Structure();
    for (const KernelPlan& plan : answers[i].kernels) answer.strategies.emplace_back(plan.strategy);
    Verdict verdict;
    if (judge != nullptr) {
      KM_ASSIGN(verdict, judge->Verify(reference, answers[i].text));
      answer.status = StatusName(verdict.status);
      answer.reason = verdict.reason;
    }
    if (!options.output.empty()) {
      KM_RETURN_IF_ERROR(
          WriteAnswer(folder, options.backend + '_' + std::to_string(i), answers[i].text, verdict));
    }
    result.answers.push_back(std::move(answer));
  }
  return result;
}

Status CheckNames(const std::vector<std::string>& operators) {
  for (const std::string& name : operators) {
    if (FindOperator(name) != nullptr) continue;
    return Status(ErrorCode::kUsage, "--operators: the table of operators has no '" + name + '\'');
  }
  return Status::Ok();
}

Status RunLower(const Options& options) {
  KM_RETURN_IF_ERROR(CheckNames(options.operators));
  std::optional<Judge> judge;
  if (!options.unverified) {
    KM_ASSIGN(JudgeOptions choice, CpuJudge({.musa = options.backend == "musa",
                                             .memory = options.sanitize,
                                             .races = options.sanitize}));
    KM_ASSIGN(judge, Judge::Start(std::move(choice)));
  }
  TaskGenerator tasks({.seed = options.seed, .levels = options.levels});
  TaskFilter filter(options);
  LoweringReport report(!options.unverified);
  for (std::int64_t done = 0; done < options.count && tasks.Next();) {
    if (Interrupted()) return InterruptedStatus();
    if (!filter.Takes(tasks.graph().small())) continue;
    KM_ASSIGN(const LoweringResult result, LowerTask(&tasks, options, judge ? &*judge : nullptr));
    report.Add(result);
    ++done;
    if (options.json) KM_RETURN_IF_ERROR(Print(result.ToJson().Dump() + "\n"));
  }
  return Print(options.json ? report.ToJson().Dump() + "\n" : report.Text());
}

}  // namespace

void AddLowerCommand(CLI::App& app, Action* action) {
  CLI::App* command = app.add_subcommand(
      "lower", "Answer generated tasks with kernels of our own, and say which are verified");
  auto options = std::make_shared<Options>();
  command->add_option("--count", options->count, "How many tasks")->check(CLI::PositiveNumber);
  command->add_option("--seed", options->seed, "Equal seeds give equal tasks and answers");
  command->add_option("--levels", options->levels, "Of tasks: 1,2 (the default), 3, 4")
      ->delimiter(',')
      ->check(CLI::Range(1, kLevels));
  command->add_flag("--every-operator", options->every_operator,
                    "Choose tasks so that every operator of the table is in one before any is "
                    "taken for its own sake again");
  command->add_option("--operators", options->operators, "Only tasks with one of these: lstm,gru")
      ->delimiter(',');
  command->add_option("--backend", options->backend, "cuda or musa")
      ->check(CLI::IsMember({"cuda", "musa"}));
  command->add_option("--ways", options->ways, "Answers of different structure to each task")
      ->check(CLI::PositiveNumber);
  command->add_flag("--sanitize", options->sanitize, "Check accesses for bounds and races too");
  command->add_flag("--unverified", options->unverified,
                    "Run nothing: only say what can be answered");
  command->add_option("--output", options->output,
                      "Write ID/reference.py, and each answer with its verdict, here");
  command->add_flag("--json", options->json, "One task a line, and the totals on the last");
  command->callback([=] { *action = [=] { return RunLower(*options); }; });
}

}  // namespace kernelmill
