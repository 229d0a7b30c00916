#include "stages/pack/trainers/task_question.h"

#include <algorithm>

#include "corpora/dataset/row.h"
#include "corpora/records/annotation.h"
#include "generators/known_task/known_task.h"
#include "generators/prompts/write_prompt.h"
#include "stages/pack/export_dataset.h"
#include "stages/retry/retry_folder.h"

namespace kernelmill {
namespace {

Result<Record> RecordOf(DatasetReader* dataset, const Digest& id) {
  KM_ASSIGN(std::optional<Record> record, dataset->Find(id));
  if (record) return *std::move(record);
  return Status(ErrorCode::kCorrupt, "the dataset has no record " + id.Hex());
}

}  // namespace

Status AskAboutTask(const Digest& id, const Record& task, const Record& annotation,
                    const std::string& split, const QuestionOptions& options,
                    const std::function<Status(const TaskQuestion& question)>& visit) {
  KM_ASSIGN(KnownTask known, KnownTask::Of(task, {annotation}));
  known.seed = options.seed;
  known.validation = split == "validation";
  TaskQuestion question{.task_id = id, .task = known.task, .split = split};
  for (const KernelBackend* backend : options.backends) {
    // The prompt does not ask for a form of the answer: whether a model reasons is its own affair.
    const Prompt prompt =
        WritePrompt({.family = Family::kTranslate, .backend = backend->name, .reasoning = ""},
                    known, known.WordingFor(DigestOf(backend->name), Family::kTranslate));
    question.backend = backend;
    question.messages = prompt.Messages();
    KM_RETURN_IF_ERROR(visit(question));
  }
  return Status::Ok();
}

Status TaskQuestions::Add(const Digest& content_id, const Record& record) {
  if (record.kind == RecordKind::kTask) {
    tasks_[content_id].is_task = true;
  } else if (record.kind == RecordKind::kAnnotation) {
    KM_ASSIGN(const Annotation annotation, Annotation::FromJson(record.payload));
    About& about = tasks_[annotation.task];
    about.annotation = content_id;
    about.is_annotated = true;
  } else if (record.kind == RecordKind::kTraining) {
    KM_ASSIGN(const Row row, Row::Of(record));
    About& about = tasks_[row.training.task_id];
    about.split = row.attributes.split;
    if (options_.conversations && row.training.family == Family::kRepair) {
      about.conversations.push_back(content_id);
    }
  }
  return Status::Ok();
}

Status TaskQuestions::Ask(DatasetReader* dataset, const Digest& id, const About& about,
                          const Visit& visit) const {
  KM_ASSIGN(const Record task, RecordOf(dataset, id));
  KM_ASSIGN(const Record annotation, RecordOf(dataset, about.annotation));
  KM_RETURN_IF_ERROR(AskAboutTask(id, task, annotation, about.split, options_, visit));
  TaskQuestion question{.task_id = id, .split = about.split};
  KM_ASSIGN(question.task, Task::FromJson(task.payload));
  std::map<std::string, std::int64_t> numbers;
  for (const Digest& conversation : about.conversations) {
    KM_ASSIGN(const Record record, RecordOf(dataset, conversation));
    KM_ASSIGN(TrainingRecord training, TrainingRecord::FromJson(record.payload));
    question.backend = FindKernelBackend(training.backend);
    if (std::find(options_.backends.begin(), options_.backends.end(), question.backend) ==
        options_.backends.end()) {
      continue;
    }
    question.turn = training.turn;
    // The attempts of the first question are the model's own: none of them is continued here.
    question.number = ++numbers[training.backend];
    training.messages.pop_back();
    question.messages = std::move(training.messages);
    KM_RETURN_IF_ERROR(visit(question));
  }
  return Status::Ok();
}

Status TaskQuestions::ForEach(DatasetReader* dataset, const Visit& visit) const {
  std::map<std::string, std::int64_t> indices;  // The next one of each split.
  const auto numbered = [&](const TaskQuestion& question) {
    TaskQuestion copy = question;
    copy.index = indices[question.split]++;
    return visit(copy);
  };
  for (const auto& [id, about] : tasks_) {
    if (!about.is_task || !about.is_annotated || about.split.empty()) continue;
    KM_RETURN_IF_ERROR(Ask(dataset, id, about, numbered));
  }
  return Status::Ok();
}

std::int64_t TaskQuestions::left_out() const {
  return std::count_if(tasks_.begin(), tasks_.end(), [](const auto& item) {
    return item.second.is_task && (!item.second.is_annotated || item.second.split.empty());
  });
}

Result<std::int64_t> AskAboutTasks(const std::string& dataset, const QuestionOptions& options,
                                   const TaskQuestions::Visit& visit) {
  KM_ASSIGN(const DatasetManifest manifest, ReadDatasetManifest(dataset));
  TaskQuestions questions(options);
  KM_RETURN_IF_ERROR(VisitRecords(dataset, manifest, [&](const Record& record) {
    return questions.Add(record.ContentId(), record);
  }));
  KM_ASSIGN(DatasetReader reader, DatasetReader::Open(dataset));
  KM_RETURN_IF_ERROR(questions.ForEach(&reader, visit));
  return questions.left_out();
}

Status ForEachRepair(const std::string& dataset, const TaskQuestions::Visit& visit) {
  KM_ASSIGN(const RetryFolder retry,
            ReadRetryFolder(dataset + "/" + std::string(kRetryFolderName)));
  std::int64_t index = 0;
  for (const RepairRequest& request : retry.requests) {
    const Record& task = retry.records.at(request.key.task);
    TaskQuestion question{.task_id = request.key.task,
                          .backend = FindKernelBackend(request.key.backend),
                          .split = kRetrySplit,
                          .messages = request.messages,
                          .turn = kRepairTurn,
                          .retry = request.retry,
                          .index = index++};
    KM_ASSIGN(question.task, Task::FromJson(task.payload));
    KM_RETURN_IF_ERROR(visit(question));
  }
  return Status::Ok();
}

}  // namespace kernelmill
