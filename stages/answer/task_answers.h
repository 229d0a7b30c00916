// Answers to one task: the task's graph is read from its text, lowered in several variants for
// every backend, and each answer is judged. Tasks of datasets, drawn tasks and references of users
// all take this route.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "corpora/records/verdict.h"
#include "generators/lowering/lower_graph.h"
#include "stages/answer/task_graph.h"
#include "stages/verify/judge/judge_pool.h"

namespace kernelmill {

struct AnswerRequest {
  std::vector<std::string> backends;  // KernelBackend::name; answers come in this order.
  int variants = 1;                   // Answers of different structure for a backend, at most.
  // How answers are judged; the backend in it does not matter. Without it, nothing is judged.
  std::optional<CpuJudgeChoice> judging;
};

struct TaskAnswer {
  LoweredAnswer lowered;
  // Of a judged answer; "undecided" where a requested check of accesses ended early
  // (Verdict::RequireChecks()).
  std::optional<Verdict> verdict;
};

struct BackendAnswers {
  std::string backend;
  std::vector<TaskAnswer> answers;  // Best first, right or not.
  std::string refusal;              // Why there is no answer.
};

struct TaskAnswers {
  std::optional<TaskGraph> task;         // Nothing where the text cannot be read as a graph.
  std::string refusal;                   // Why there is no graph.
  std::vector<BackendAnswers> backends;  // One for each of the request's; empty without a graph.
};

// `reference`: Python in the KernelBench convention. A Status is a fault of ours, of a worker for
// example; a task that cannot be answered is a refusal.
Result<TaskAnswers> AnswerTask(const std::string& reference, const AnswerRequest& request,
                               JudgePool* judges);

}  // namespace kernelmill
