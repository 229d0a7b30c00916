#include <memory>
#include <string>

#include "corpora/kernel_backend.h"
#include "generators/graphs/sampler_options.h"
#include "manifests/commit_file.h"
#include "stages/answer/task_answers.h"
#include "stages/engine/interrupt.h"
#include "stages/engine/pipeline.h"
#include "tools/cli/answer_report.h"
#include "tools/cli/command.h"
#include "tools/cli/option_values.h"
#include "tools/cli/output.h"
#include "tools/cli/reference_source.h"

namespace kernelmill {
namespace {

struct Options {
  std::string references;
  bool generated = false;
  DrawOptions draw;
  std::string backend{kCudaBackend.name};
  int variants = 1;
  bool unverified = false;
  bool sanitize = false;
  int jobs = 0;  // 0 means one per processor.
  bool json = false;
  std::string output;
};

struct AnsweredTask : PipelineItem {
  ReferenceTask task;
  TaskAnswers answers;
  AnswerResult result;
};

struct AnsweringLane : Lane {
  JudgePool judges;
};

AnswerResult::Answer ResultOf(const TaskAnswer& answer) {
  AnswerResult::Answer result{.structure = answer.lowered.Structure(),
                              .speed = answer.lowered.speed};
  for (const CallPlan& plan : answer.lowered.calls) {
    result.strategies.emplace_back(plan.strategy);
  }
  if (answer.verdict) {
    result.status = StatusName(answer.verdict->status);
    result.reason = answer.verdict->reason;
  }
  return result;
}

// Reads each task as a graph and answers it, as the step "answer" does for datasets.
class AnswerPipeline : public Pipeline {
 public:
  // Both must outlive the pipeline.
  AnswerPipeline(const Options& options, ReferenceSource* source)
      : options_(options), source_(*source), report_(!options.unverified) {
    request_.backends = {options.backend};
    request_.variants = options.variants;
    if (options.unverified) return;
    request_.judging = JudgingChoice{.memory = options.sanitize, .races = options.sanitize};
  }

  Status Prepare() const {
    return request_.judging ? PrepareJudging(*request_.judging).status() : Status::Ok();
  }

  Result<std::unique_ptr<PipelineItem>> Next() override {
    if (Interrupted()) return InterruptedStatus();
    KM_ASSIGN(std::optional<ReferenceTask> task, source_.Next());
    if (!task) return std::unique_ptr<PipelineItem>();
    auto item = std::make_unique<AnsweredTask>();
    item->task = *std::move(task);
    return std::unique_ptr<PipelineItem>(std::move(item));
  }

  Result<std::unique_ptr<Lane>> OpenLane() override {
    return std::unique_ptr<Lane>(std::make_unique<AnsweringLane>());
  }

  Status Process(PipelineItem& item, Lane& lane) override {
    if (Interrupted()) return InterruptedStatus();
    auto& answered = static_cast<AnsweredTask&>(item);
    AnswerResult& result = answered.result;
    result.id = answered.task.name;
    result.level = answered.task.level;
    result.backend = options_.backend;
    if (!answered.task.problem.empty()) {
      result.obstacle = answered.task.problem;
      result.outcome = "no reference: " + result.obstacle;
      return Status::Ok();
    }
    KM_ASSIGN(answered.answers,
              AnswerTask(answered.task.text, request_, &static_cast<AnsweringLane&>(lane).judges));
    const TaskAnswers& answers = answered.answers;
    if (!answers.task) {
      result.obstacle = answers.obstacle;
      result.outcome = "not captured: " + result.obstacle;
      return Status::Ok();
    }
    for (const Node& node : answers.task->graph.nodes()) {
      result.operators.emplace_back(node.op->name);
    }
    result.obstacle = answers.backends.front().obstacle;
    for (const TaskAnswer& answer : answers.backends.front().answers) {
      result.answers.push_back(ResultOf(answer));
    }
    result.outcome = OutcomeOf(result);
    return Status::Ok();
  }

  Status Take(PipelineItem& item) override {
    const auto& answered = static_cast<const AnsweredTask&>(item);
    const AnswerResult& result = answered.result;
    report_.Add(result);
    if (!options_.output.empty()) KM_RETURN_IF_ERROR(WriteFiles(answered));
    return options_.json ? PrintJsonLine(result.ToJson())
                         : Print(result.id + ": " + result.outcome + '\n');
  }

  const AnswerReport& report() const { return report_; }

 private:
  std::string OutcomeOf(const AnswerResult& result) const {
    if (result.answers.empty()) return "not lowered: " + result.obstacle;
    if (options_.unverified) return "lowered";
    const int correct = result.Correct();
    if (correct > 0) return correct == 1 ? "verified" : "verified in several variants";
    const AnswerResult::Answer& last = result.answers.back();
    return last.status + ' ' + last.reason;
  }

  Status WriteFiles(const AnsweredTask& answered) const {
    const std::string start = options_.output + '/' + answered.task.name;
    if (options_.generated) {
      KM_RETURN_IF_ERROR(MakeFolders(options_.output));
      KM_RETURN_IF_ERROR(ReplaceFile(start + ".py", answered.task.text));
    }
    if (answered.answers.backends.empty()) return Status::Ok();
    const std::vector<TaskAnswer>& answers = answered.answers.backends.front().answers;
    for (std::size_t variant = 0; variant < answers.size(); ++variant) {
      const std::optional<Verdict>& verdict = answers[variant].verdict;
      const bool wrong = verdict && verdict->status != VerdictStatus::kCorrect;
      const std::string file =
          start + '.' + options_.backend + '.' + std::to_string(variant) + (wrong ? ".wrong" : "");
      KM_RETURN_IF_ERROR(MakeFolders(options_.output));
      KM_RETURN_IF_ERROR(ReplaceFile(file + ".py", answers[variant].lowered.text));
      if (!wrong) continue;
      KM_RETURN_IF_ERROR(ReplaceFile(file + ".json", verdict->ToJson().Pretty()));
    }
    return Status::Ok();
  }

  const Options& options_;
  ReferenceSource& source_;
  AnswerRequest request_;
  AnswerReport report_;
};

Result<std::unique_ptr<ReferenceSource>> OpenSource(const Options& options) {
  if (options.generated == !options.references.empty()) {
    return Status(ErrorCode::kUsage, "answer: give REFERENCES or --generated");
  }
  return options.generated ? DrawTasks(options.draw) : OpenReferences(options.references);
}

Status RunAnswer(const Options& options) {
  KM_ASSIGN(const std::unique_ptr<ReferenceSource> source, OpenSource(options));
  AnswerPipeline tasks(options, source.get());
  KM_RETURN_IF_ERROR(tasks.Prepare());
  KM_RETURN_IF_ERROR(RunInOrder(tasks, options.jobs));
  const AnswerReport& report = tasks.report();
  return options.json ? PrintJsonLine(report.ToJson()) : Print('\n' + report.Text());
}

void AddDrawOptions(CLI::App& app, Options* options) {
  constexpr char kDrawn[] = "Drawn tasks";
  CLI::Option* const generated = app.add_flag("--generated", options->generated,
                                              "Answer tasks drawn at random, as generate "
                                              "draws them")
                                     ->group(kDrawn);
  app.add_option("--count", options->draw.count, "Draw this many tasks")
      ->type_name(kNumber)
      ->capture_default_str()
      ->check(WholeNumber(1))
      ->needs(generated)
      ->group(kDrawn);
  app.add_option("--seed", options->draw.seed, "The seed of the random numbers")
      ->type_name(kNumber)
      ->capture_default_str()
      ->check(WholeNumber(0))
      ->needs(generated)
      ->group(kDrawn);
  app.add_option("--levels", options->draw.levels,
                 "1: one operator, 2: fused patterns, 3: blocks, 4: models; by default 1,2")
      ->type_name("LEVELS")
      ->delimiter(',')
      ->check(WholeNumber(1, kLevels))
      ->needs(generated)
      ->group(kDrawn);
  app.add_flag("--every-operator", options->draw.every_operator,
               "Choose tasks so that every operator has one before any operator has another")
      ->needs(generated)
      ->group(kDrawn);
  app.add_option("--operators", options->draw.operators,
                 "Only tasks with one of these operators: lstm,gru")
      ->type_name("NAMES")
      ->delimiter(',')
      ->needs(generated)
      ->group(kDrawn);
}

void AddAnswerOptions(CLI::App& app, Options* options) {
  constexpr char kAnswers[] = "Which answers";
  app.add_option("--backend", options->backend, "The language of the kernels")
      ->check(OneOf(KernelBackendNames()))
      ->capture_default_str()
      ->group(kAnswers);
  app.add_option("--variants", options->variants,
                 "Write up to this many answers per task, which differ in structure")
      ->type_name(kNumber)
      ->capture_default_str()
      ->check(WholeNumber(1))
      ->group(kAnswers);
  app.add_flag("--sanitize", options->sanitize, "Check every access for bounds and races as well")
      ->group(kAnswers);
  app.add_flag("--unverified", options->unverified,
               "Run no answer: only report which tasks can be answered")
      ->group(kAnswers);
}

}  // namespace

Command AnswerCommand() {
  return {
      .name = "answer",
      .group = CommandGroup::kAnswers,
      .summary = "Write native kernels for PyTorch references, and verify them",
      .description =
          "Each reference is read as a graph of operators, lowered to kernels, and every answer is "
          "judged as verify does; a dataset's answers are made in the same way. With --output the "
          "answers are written as NAME.cuda.0.py, and those that are not correct as "
          "NAME.cuda.0.wrong.py with the verdict beside them in JSON. The exit code is 0 also when "
          "a task cannot be answered.",
      .examples = {{"answer ref.py --output answers", "Answer one module in CUDA."},
                   {"answer modules --backend musa --variants 2 --output answers",
                    "Answer every .py file of a folder in MUSA, each up to twice."},
                   {"answer ref.py --unverified",
                    "Report whether a module can be answered, and what prevents it."},
                   {"answer --generated --count 20 --levels 1,2 --variants 2 --output answers",
                    "Draw 20 tasks and answer them."}},
      .declare = [](CLI::App& app) -> Action {
        const auto options = std::make_shared<Options>();
        app.add_option("references", options->references,
                       "A .py file with Model, get_inputs and get_init_inputs, a folder of such "
                       "files, or a .jsonl or .parquet file with a column of them")
            ->type_name(kFile);
        AddAnswerOptions(app, options.get());
        AddDrawOptions(app, options.get());
        AddJobsOption(app, &options->jobs,
                      "Answer this many tasks at once, each with 1.5 GB; by default one per "
                      "processor");
        app.add_option("--output", options->output, "Write the answers to this folder")
            ->type_name(kFolder)
            ->group(kOutputGroup);
        AddJsonOption(app, &options->json,
                      "Print one JSON object per task and line, and the totals on the last line");
        return [options] { return WithoutResuming(RunAnswer(*options)); };
      },
  };
}

}  // namespace kernelmill
