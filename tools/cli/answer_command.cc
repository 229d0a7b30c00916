#include <cctype>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "manifests/commit_file.h"
#include "stages/answer/task_graph.h"
#include "stages/engine/interrupt.h"
#include "stages/engine/pipeline.h"
#include "stages/task_files/reference_file.h"
#include "stages/task_files/supplied_rows.h"
#include "tools/cli/answering.h"
#include "tools/cli/command.h"

namespace kernelmill {
namespace {

struct Options {
  std::string references;
  AnsweringOptions answering;
  bool json = false;
  std::string output;
};

// Of the file's name, so that what is written behind it still fits.
constexpr std::size_t kLongestName = 160;

std::string FitForAFile(std::string name) {
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '-') c = '_';
  }
  return name.substr(0, kLongestName);
}

// Of a file in a folder, its path without ".py".
std::string NameOf(const SuppliedRow& row, const TaskSource& source) {
  return FitForAFile(source.format == TaskFormat::kFolder
                         ? std::filesystem::path(row.origin.path).replace_extension().string()
                         : std::to_string(row.origin.row) + '_' + row.name);
}

struct Reference : PipelineItem {
  std::string name, text;
  JudgedAnswers answers;
  std::string what;  // Became of it, in a few words.
};

void Refuse(Reference* reference, const std::string& where, const std::string& why) {
  reference->answers.result.refusal = why;
  reference->what = where + why;
}

class ReferenceSource {
 public:
  explicit ReferenceSource(std::string path) : path_(std::move(path)) {}

  Status Open() {
    const std::filesystem::path path = path_;
    if (path.extension() == ".py") {
      single_ = std::make_unique<Reference>();
      single_->name = FitForAFile(path.stem());
      KM_ASSIGN(single_->text, ReadReference(path));
      return Status::Ok();
    }
    KM_ASSIGN(tasks_, ResolveTasks({.tasks = path_}, "references"));
    KM_ASSIGN(rows_, SuppliedRows::Open(tasks_, kLargestReference));
    return Status::Ok();
  }

  // Null at the end.
  Result<std::unique_ptr<Reference>> Next() {
    if (rows_ == nullptr) return std::move(single_);
    KM_ASSIGN(std::optional<SuppliedRow> row, rows_->Next());
    if (!row) return std::unique_ptr<Reference>();
    auto reference = std::make_unique<Reference>();
    reference->name = UnusedName(NameOf(*row, tasks_));
    if (row->reason.empty()) {
      reference->text = std::move(row->bytes);
    } else {
      Refuse(reference.get(), "no reference: ", row->reason + ' ' + row->detail);
    }
    return reference;
  }

 private:
  // Paths that differ in what no name keeps: "a/b" and "a_b". Rows begin with their numbers.
  std::string UnusedName(const std::string& name) {
    if (tasks_.format != TaskFormat::kFolder) return name;
    std::string unused = name;
    for (int i = 2; !names_.insert(unused).second; ++i) unused = name + '-' + std::to_string(i);
    return unused;
  }

  std::string path_;
  std::set<std::string> names_;  // That files of a folder have.
  std::unique_ptr<Reference> single_;  // Of a .py file, until it is given.
  TaskSource tasks_;
  std::unique_ptr<SuppliedRows> rows_;  // Of anything else.
};

// References, each captured and answered.
class ReferencePipeline : public Pipeline {
 public:
  // All have to stay.
  ReferencePipeline(const Options& options, const Answering& answering, ReferenceSource* source)
      : options_(options), answering_(answering), source_(*source) {}

  Result<std::unique_ptr<PipelineItem>> Next() override {
    if (Interrupted()) return InterruptedStatus();
    KM_ASSIGN(std::unique_ptr<Reference> reference, source_.Next());
    return std::unique_ptr<PipelineItem>(std::move(reference));
  }

  Result<std::unique_ptr<Lane>> OpenLane() override { return answering_.OpenLane(); }

  Status Process(PipelineItem& item, Lane& lane) override {
    if (Interrupted()) return InterruptedStatus();
    auto& reference = static_cast<Reference&>(item);
    auto& own = static_cast<AnsweringLane&>(lane);
    if (!reference.what.empty()) return Status::Ok();
    KM_ASSIGN(TorchWorker* const worker, own.judges.ReferenceWorker());
    KM_ASSIGN(const TaskGraphReading reading, ReadTaskGraph(reference.text, worker));
    if (!reading.task) {
      Refuse(&reference, "not captured: ", reading.refusal);
      return Status::Ok();
    }
    KM_RETURN_IF_ERROR(answering_.Answer(reference.text, reading.task->graph, reading.task->module,
                                         &own, &reference.answers));
    reference.what = WhatCame(reference.answers);
    return Status::Ok();
  }

  Status Take(PipelineItem& item) override {
    auto& reference = static_cast<Reference&>(item);
    LoweringResult& result = reference.answers.result;
    result.id = reference.name;
    result.backend = options_.answering.backend;
    ++counts_[reference.what];
    if (!options_.output.empty()) KM_RETURN_IF_ERROR(WriteFiles(reference));
    return Print(options_.json ? result.ToJson().Dump() + '\n'
                               : result.id + ": " + reference.what + '\n');
  }

  std::string Summary() const {
    if (options_.json) return Json(Json::Object(counts_.begin(), counts_.end())).Dump() + '\n';
    std::string text;
    for (const auto& [what, count] : counts_) text += std::to_string(count) + '\t' + what + '\n';
    return text;
  }

 private:
  std::string WhatCame(const JudgedAnswers& answers) const {
    if (answers.texts.empty()) return "not lowered: " + answers.result.refusal;
    if (!answering_.verifies()) return "lowered";
    const int right = answers.result.Right();
    if (right > 0) return right == 1 ? "verified" : "verified in several ways";
    const LoweringResult::Answer& last = answers.result.answers.back();
    return last.status + ' ' + last.reason;
  }

  Status WriteFiles(const Reference& reference) const {
    const JudgedAnswers& answers = reference.answers;
    for (std::size_t way = 0; way < answers.texts.size(); ++way) {
      const Verdict& verdict = answers.verdicts[way];
      const bool wrong = answering_.verifies() && verdict.status != VerdictStatus::kCorrect;
      const std::string file = options_.output + '/' + reference.name + '.' +
                               options_.answering.backend + '.' + std::to_string(way) +
                               (wrong ? ".wrong" : "");
      KM_RETURN_IF_ERROR(MakeFolders(options_.output));
      KM_RETURN_IF_ERROR(ReplaceFile(file + ".py", answers.texts[way]));
      if (!wrong) continue;
      KM_RETURN_IF_ERROR(ReplaceFile(file + ".json", verdict.ToJson().Pretty()));
    }
    return Status::Ok();
  }

  const Options& options_;
  const Answering& answering_;
  ReferenceSource& source_;
  std::map<std::string, std::int64_t> counts_;
};

Status RunAnswer(const Options& options) {
  ReferenceSource source(options.references);
  KM_RETURN_IF_ERROR(source.Open());
  KM_ASSIGN(const Answering answering, Answering::Of(options.answering));
  ReferencePipeline references(options, answering, &source);
  KM_RETURN_IF_ERROR(RunInOrder(references, options.answering.jobs));
  return Print(references.Summary());
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
  options->answering.AddTo(command);
  command->add_flag("--json", options->json, "One reference a line, and the totals on the last");
  command->add_option("--output", options->output,
                      "Write the answers here, NAME.cuda.0.py, and the verdicts of wrong ones");
  command->callback([=] { *action = [=] { return WithoutResuming(RunAnswer(*options)); }; });
}

}  // namespace kernelmill
