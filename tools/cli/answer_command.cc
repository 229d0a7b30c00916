#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "generators/lowering/lower_graph.h"
#include "manifests/commit_file.h"
#include "stages/answer/task_graph.h"
#include "stages/engine/interrupt.h"
#include "stages/verify/cpu_judge.h"
#include "stages/verify/judge.h"
#include "tools/cli/command.h"

namespace kernelmill {
namespace {

struct Options {
  std::string references;
  std::string backend = "cuda";
  int ways = 1;
  bool sanitize = false;
  std::string output;
};

// The file itself, or the .py files below a folder in the order of their names.
Result<std::vector<std::filesystem::path>> ReferenceFiles(const std::string& path) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return std::vector{std::filesystem::path(path)};
  for (std::filesystem::recursive_directory_iterator at(path, error), end; !error && at != end;
       at.increment(error)) {
    if (at->is_regular_file(error) && at->path().extension() == ".py") files.push_back(at->path());
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) {
    return Status(ErrorCode::kNotFound, path + " has no .py files: give a reference, or a folder");
  }
  return files;
}

class Answerer {
 public:
  Answerer(const Options& options, TorchWorker worker, Judge judge)
      : options_(options), worker_(std::move(worker)), judge_(std::move(judge)) {}

  Status Answer(const std::filesystem::path& path) {
    KM_ASSIGN(const std::string reference, ReadFile(path));
    KM_ASSIGN(const TaskGraphReading reading, ReadTaskGraph(reference, &worker_));
    const std::string name = path.stem();
    if (!reading.task) return Tell(name, "not captured: " + reading.refusal);
    const KernelBackend backend = KernelBackendOf(options_.backend);
    const OperatorGraph& graph = reading.task->graph;
    const ModuleText& module = reading.task->module;
    const auto answers = LowerInWays(graph, module, backend, options_.ways);
    if (answers.empty()) {
      const Lowering lowering = LowerGraph(graph, module, {.backend = backend});
      return Tell(name, "not lowered: " + lowering.refusal);
    }
    bool right = false;
    std::string wrong;
    for (std::size_t way = 0; way < answers.size(); ++way) {
      KM_ASSIGN(const Verdict verdict, judge_.Verify(reference, answers[way].text));
      const bool correct = verdict.status == VerdictStatus::kCorrect;
      right = right || correct;
      if (!correct) wrong = std::string(StatusName(verdict.status)) + ' ' + verdict.reason;
      if (options_.output.empty()) continue;
      const std::string file = name + '.' + options_.backend + '.' + std::to_string(way) +
                               (correct ? ".py" : ".wrong.py");
      KM_RETURN_IF_ERROR(MakeFolders(options_.output));
      KM_RETURN_IF_ERROR(ReplaceFile(options_.output + '/' + file, answers[way].text));
    }
    return Tell(name, right ? "verified" : wrong);
  }

  std::string Summary() const {
    std::string text;
    for (const auto& [what, count] : counts_) text += std::to_string(count) + '\t' + what + '\n';
    return text;
  }

 private:
  Status Tell(const std::string& name, const std::string& what) {
    ++counts_[what];
    return Print(name + ": " + what + '\n');
  }

  const Options& options_;
  TorchWorker worker_;
  Judge judge_;
  std::map<std::string, std::int64_t> counts_;
};

Status RunAnswer(const Options& options) {
  KM_ASSIGN(const auto files, ReferenceFiles(options.references));
  KM_ASSIGN(JudgeOptions judge_options, CpuJudge({.musa = options.backend == "musa",
                                                  .memory = options.sanitize,
                                                  .races = options.sanitize}));
  KM_ASSIGN(Judge judge, Judge::Start(std::move(judge_options)));
  KM_ASSIGN(TorchWorker worker, TorchWorker::Start());
  Answerer answerer(options, std::move(worker), std::move(judge));
  for (const auto& file : files) {
    if (Interrupted()) return InterruptedStatus();
    KM_RETURN_IF_ERROR(answerer.Answer(file));
  }
  return Print(answerer.Summary());
}

}  // namespace

void AddAnswerCommand(CLI::App& app, Action* action) {
  CLI::App* command = app.add_subcommand(
      "answer", "Write native kernels for PyTorch references, and keep those that are verified");
  auto options = std::make_shared<Options>();
  command
      ->add_option("references", options->references,
                   "A file with Model, get_inputs and get_init_inputs, or a folder of such")
      ->required();
  command->add_option("--backend", options->backend, "cuda or musa")
      ->check(CLI::IsMember({"cuda", "musa"}));
  command->add_option("--ways", options->ways, "Answers of different structure to each")
      ->check(CLI::PositiveNumber);
  command->add_flag("--sanitize", options->sanitize, "Check accesses for bounds and races too");
  command->add_option("--output", options->output, "Write the answers here, NAME.cuda.0.py");
  command->callback([=] { *action = [=] { return RunAnswer(*options); }; });
}

}  // namespace kernelmill
