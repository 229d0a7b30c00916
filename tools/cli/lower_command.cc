#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "corpora/operators/operator_table.h"
#include "generators/graphs/generated_task.h"
#include "manifests/commit_file.h"
#include "stages/engine/interrupt.h"
#include "stages/engine/pipeline.h"
#include "tools/cli/answering.h"
#include "tools/cli/command.h"
#include "tools/cli/lowering_report.h"

namespace kernelmill {
namespace {

struct Options {
  std::int64_t count = 10;
  std::uint64_t seed = 0;
  std::vector<int> levels = {1, 2};
  AnsweringOptions answering;
  bool every_operator = false;
  std::vector<std::string> operators;
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

// A generated task at the sizes that a CPU checks.
struct GeneratedReference : PipelineItem {
  std::string text;
  OperatorGraph graph;
  ModuleText module;
  JudgedAnswers answers;
};

class GeneratedPipeline : public Pipeline {
 public:
  GeneratedPipeline(const Options& options, const Answering& answering)
      : options_(options),
        answering_(answering),
        tasks_({.seed = options.seed, .levels = options.levels}),
        filter_(options),
        report_(answering.verifies()) {}

  Result<std::unique_ptr<PipelineItem>> Next() override {
    if (done_ == options_.count) return std::unique_ptr<PipelineItem>();
    do {
      if (Interrupted()) return InterruptedStatus();
      if (!tasks_.Next()) return std::unique_ptr<PipelineItem>();
    } while (!filter_.Takes(tasks_.graph().small()));
    ++done_;
    auto reference = std::make_unique<GeneratedReference>();
    tasks_.AppendSource(SourceSizes::kSmall, &reference->text);
    reference->graph = tasks_.graph().small();
    reference->module = ModuleTextOf(tasks_.graph().large(), reference->graph,
                                     tasks_.source().plan(), reference->text, SourceSizes::kSmall);
    reference->answers.result.id = tasks_.Id();
    reference->answers.result.level = tasks_.graph().level();
    return std::unique_ptr<PipelineItem>(std::move(reference));
  }

  Result<std::unique_ptr<Lane>> OpenLane() override { return answering_.OpenLane(); }

  Status Process(PipelineItem& item, Lane& lane) override {
    if (Interrupted()) return InterruptedStatus();
    auto& reference = static_cast<GeneratedReference&>(item);
    return answering_.Answer(reference.text, reference.graph, reference.module,
                             static_cast<AnsweringLane*>(&lane), &reference.answers);
  }

  Status Take(PipelineItem& item) override {
    const auto& reference = static_cast<GeneratedReference&>(item);
    const LoweringResult& result = reference.answers.result;
    if (!options_.output.empty()) KM_RETURN_IF_ERROR(WriteFiles(reference));
    report_.Add(result);
    return options_.json ? Print(result.ToJson().Dump() + "\n") : Status::Ok();
  }

  const LoweringReport& report() const { return report_; }

 private:
  Status WriteFiles(const GeneratedReference& reference) const {
    const JudgedAnswers& answers = reference.answers;
    const std::string folder = options_.output + '/' + answers.result.id;
    KM_RETURN_IF_ERROR(MakeFolders(folder));
    KM_RETURN_IF_ERROR(ReplaceFile(folder + "/reference.py", reference.text));
    for (std::size_t i = 0; i < answers.texts.size(); ++i) {
      const std::string file = folder + '/' + options_.answering.backend + '_' + std::to_string(i);
      KM_RETURN_IF_ERROR(ReplaceFile(file + ".py", answers.texts[i]));
      KM_RETURN_IF_ERROR(ReplaceFile(file + ".json", answers.verdicts[i].ToJson().Pretty()));
    }
    return Status::Ok();
  }

  const Options& options_;
  const Answering& answering_;
  TaskGenerator tasks_;
  TaskFilter filter_;
  LoweringReport report_;
  std::int64_t done_ = 0;  // Tasks given to be answered.
};

Status CheckNames(const std::vector<std::string>& operators) {
  for (const std::string& name : operators) {
    if (FindOperator(name) != nullptr) continue;
    return Status(ErrorCode::kUsage, "--operators: the table of operators has no '" + name + '\'');
  }
  return Status::Ok();
}

Status RunLower(const Options& options) {
  KM_RETURN_IF_ERROR(CheckNames(options.operators));
  KM_ASSIGN(const Answering answering, Answering::Of(options.answering));
  GeneratedPipeline tasks(options, answering);
  KM_RETURN_IF_ERROR(RunInOrder(tasks, options.answering.jobs));
  return Print(options.json ? tasks.report().ToJson().Dump() + "\n" : tasks.report().Text());
}

}  // namespace

void AddLowerCommand(CLI::App& app, Action* action) {
  CLI::App* command = app.add_subcommand(
      "lower", "Answer generated tasks with kernels of our own, and say which are verified");
  auto options = std::make_shared<Options>();
  command->add_option("--count", options->count, "How many tasks")->check(kPositive);
  command->add_option("--seed", options->seed, "Equal seeds give equal tasks and answers")
      ->check(kNonNegative);
  command->add_option("--levels", options->levels, "Of tasks: 1,2 (the default), 3, 4")
      ->delimiter(',')
      ->check(CLI::Range(1, kLevels));
  command->add_flag("--every-operator", options->every_operator,
                    "Choose tasks so that every operator of the table is in one before any is "
                    "taken for its own sake again");
  command->add_option("--operators", options->operators, "Only tasks with one of these: lstm,gru")
      ->delimiter(',');
  options->answering.AddTo(command);
  command->add_option("--output", options->output,
                      "Write ID/reference.py, and each answer with its verdict, here");
  command->add_flag("--json", options->json, "One task a line, and the totals on the last");
  command->callback([=] { *action = [=] { return WithoutResuming(RunLower(*options)); }; });
}

}  // namespace kernelmill
