#include <cctype>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "generators/lowering/lower_graph.h"
#include "manifests/commit_file.h"
#include "stages/answer/task_graph.h"
#include "stages/engine/interrupt.h"
#include "stages/supply/supplied_rows.h"
#include "stages/verify/cpu_judge.h"
#include "stages/verify/judge.h"
#include "tools/cli/command.h"
#include "tools/cli/lowering_report.h"

namespace kernelmill {
namespace {

struct Options {
  std::string references;
  std::string backend = "cuda";
  int ways = 1;
  bool unverified = false;
  bool sanitize = false;
  bool json = false;
  std::string output;
};

class Answerer {
 public:
  // `workers`: of `judge`, if there is one.
  Answerer(const Options& options, std::shared_ptr<JudgeWorkers> workers,
           std::optional<Judge> judge)
      : options_(options), workers_(std::move(workers)), judge_(std::move(judge)) {}

  Status Answer(const std::string& name, const std::string& reference) {
    if (Interrupted()) return InterruptedStatus();
    KM_ASSIGN(TorchWorker* const worker, workers_->ForReferences());
    KM_ASSIGN(const TaskGraphReading reading, ReadTaskGraph(reference, worker));
    LoweringResult result{.id = name, .backend = options_.backend};
    if (!reading.task) {
      result.refusal = reading.refusal;
      return Tell(result, "not captured: " + reading.refusal);
    }
    const KernelBackend backend = KernelBackendOf(options_.backend);
    const OperatorGraph& graph = reading.task->graph;
    for (const Node& node : graph.nodes()) result.operators.emplace_back(node.op->name);
    const ModuleText& module = reading.task->module;
    const auto answers = LowerInWays(graph, module, backend, options_.ways, &result.refusal);
    if (answers.empty()) {
      return Tell(result, "not lowered: " + result.refusal);
    }
    std::string wrong;
    for (std::size_t way = 0; way < answers.size(); ++way) {
      Verdict verdict;
      LoweringResult::Answer answer{.structure = answers[way].Structure()};
      for (const KernelPlan& plan : answers[way].kernels) {
        answer.strategies.emplace_back(plan.strategy);
      }
      if (judge_) {
        KM_ASSIGN(verdict, judge_->Verify(reference, answers[way].text));
        answer.status = StatusName(verdict.status);
        answer.reason = verdict.reason;
      }
      result.answers.push_back(std::move(answer));
      const bool correct = judge_ && verdict.status == VerdictStatus::kCorrect;
      if (!correct) wrong = std::string(StatusName(verdict.status)) + ' ' + verdict.reason;
      if (options_.output.empty()) continue;
      const std::string file =
          options_.output + '/' + name + '.' + options_.backend + '.' + std::to_string(way);
      KM_RETURN_IF_ERROR(MakeFolders(options_.output));
      const std::string kind = correct || !judge_ ? "" : ".wrong";
      KM_RETURN_IF_ERROR(ReplaceFile(file + kind + ".py", answers[way].text));
      if (correct || !judge_) continue;
      KM_RETURN_IF_ERROR(ReplaceFile(file + kind + ".json", verdict.ToJson().Pretty()));
    }
    if (!judge_) return Tell(result, "lowered");
    const int right = result.Right();
    return Tell(result, right == 0 ? wrong : right == 1 ? "verified" : "verified in several ways");
  }

  Status Refuse(const std::string& name, const std::string& why) {
    return Tell({.id = name, .backend = options_.backend, .refusal = why}, "no reference: " + why);
  }

  std::string Summary() const {
    if (options_.json) return Json(Json::Object(counts_.begin(), counts_.end())).Dump() + '\n';
    std::string text;
    for (const auto& [what, count] : counts_) text += std::to_string(count) + '\t' + what + '\n';
    return text;
  }

 private:
  Status Tell(const LoweringResult& result, const std::string& what) {
    ++counts_[what];
    return Print(options_.json ? result.ToJson().Dump() + '\n' : result.id + ": " + what + '\n');
  }

  const Options& options_;
  std::shared_ptr<JudgeWorkers> workers_;
  std::optional<Judge> judge_;
  std::map<std::string, std::int64_t> counts_;
};

// Fit for the name of a file: of a file in a folder, its path without ".py"; no two rows of a file
// have one.
std::string NameOf(const SuppliedRow& row, const TaskSource& source) {
  std::string name = source.format == TaskFormat::kFolder
                         ? std::filesystem::path(row.origin.path).replace_extension().string()
                         : std::to_string(row.origin.row) + '_' + row.name;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '-') c = '_';
  }
  return name;
}

Status RunAnswer(const Options& options) {
  const std::filesystem::path path = options.references;
  std::optional<TaskSource> source;
  std::string reference;
  if (path.extension() == ".py") {
    KM_ASSIGN(reference, ReadFile(path));
  } else {
    KM_ASSIGN(source, ResolveTasks({.tasks = options.references}, "references"));
  }
  const auto workers = std::make_shared<JudgeWorkers>();
  std::optional<Judge> judge;
  if (!options.unverified) {
    KM_ASSIGN(JudgeOptions judge_options, CpuJudge({.musa = options.backend == "musa",
                                                    .memory = options.sanitize,
                                                    .races = options.sanitize}));
    judge_options.workers = workers;
    KM_ASSIGN(judge, Judge::Start(std::move(judge_options)));
  }
  Answerer answerer(options, workers, std::move(judge));
  if (!source) {
    KM_RETURN_IF_ERROR(answerer.Answer(path.stem(), reference));
  } else {
    KM_RETURN_IF_ERROR(ForEachRow(*source, kLargestReference, [&](const SuppliedRow& row) {
      const std::string name = NameOf(row, *source);
      return row.reason.empty() ? answerer.Answer(name, row.bytes)
                                : answerer.Refuse(name, row.reason + ' ' + row.detail);
    }));
  }
  return Print(answerer.Summary());
}

}  // namespace

void AddAnswerCommand(CLI::App& app, Action* action) {
  CLI::App* command = app.add_subcommand(
      "answer", "Write native kernels for PyTorch references, and keep those that are verified");
  auto options = std::make_shared<Options>();
  command
      ->add_option(
          "references", options->references,
          "A .py file with Model, get_inputs and get_init_inputs, a folder of such, or a .jsonl or "
          ".parquet file with a column of them")
      ->required();
  command->add_option("--backend", options->backend, "cuda or musa")
      ->check(CLI::IsMember({"cuda", "musa"}));
  command->add_option("--ways", options->ways, "Answers of different structure to each")
      ->check(CLI::PositiveNumber);
  command->add_flag("--sanitize", options->sanitize, "Check accesses for bounds and races too");
  command->add_flag("--unverified", options->unverified,
                    "Run nothing: only say what can be answered");
  command->add_flag("--json", options->json, "One reference a line, and the totals on the last");
  command->add_option("--output", options->output,
                      "Write the answers here, NAME.cuda.0.py, and the verdicts of wrong ones");
  command->callback([=] { *action = [=] { return RunAnswer(*options); }; });
}

}  // namespace kernelmill
