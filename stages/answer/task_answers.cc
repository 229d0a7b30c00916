#include "stages/answer/task_answers.h"

#include <utility>

#include "corpora/kernel_backend.h"

namespace kernelmill {
namespace {

Result<BackendAnswers> AnswerFor(const std::string& backend, const std::string& reference,
                                 const TaskGraph& task, const AnswerRequest& request,
                                 JudgePool* judges) {
  BackendAnswers found;
  found.backend = backend;
  KM_ASSIGN(const KernelBackend* const kernels, KernelBackendNamed(backend));
  std::vector<LoweredAnswer> lowered =
      LowerInVariants(task.graph, task.module, *kernels, request.variants, &found.obstacle);
  for (LoweredAnswer& answer : lowered) {
    std::optional<Verdict> verdict;
    if (request.judging) {
      JudgingChoice choice = *request.judging;
      choice.backend = kernels;
      choice.contract = kAnyShapeAndLayout;
      KM_ASSIGN(verdict, judges->JudgeOrFail(choice, reference, answer.text));
    }
    found.answers.push_back({std::move(answer), std::move(verdict)});
  }
  return found;
}

}  // namespace

Result<TaskAnswers> AnswerTask(const std::string& reference, const AnswerRequest& request,
                               JudgePool* judges) {
  TaskAnswers answers;
  KM_ASSIGN(TorchWorker* const worker, judges->ReferenceWorker());
  KM_ASSIGN(TaskGraphReading reading, ReadTaskGraph(reference, worker));
  answers.task = std::move(reading.task);
  answers.obstacle = std::move(reading.obstacle);
  if (!answers.task) return answers;
  for (const std::string& backend : request.backends) {
    KM_ASSIGN(BackendAnswers found, AnswerFor(backend, reference, *answers.task, request, judges));
    answers.backends.push_back(std::move(found));
  }
  return answers;
}

}  // namespace kernelmill
