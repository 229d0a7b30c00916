// Answers one task: captures the graph of its text, lowers it in several variants for every
// backend, and judges each answer unless the request asks for none of it. Called by the step
// "answer" for the tasks of a dataset, and by the command `answer` for drawn tasks and users'
// references.
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
  std::vector<std::string> backends;  // KernelBackend::name; answers are returned in this order.
  int variants = 1;                   // The most answers of different structure per backend.
  // How answers are judged. If absent, they are not. Its backend is ignored, and so is its
  // contract: answers of ours have to be right at any sizes and in any layouts.
  std::optional<JudgingChoice> judging;
};

struct TaskAnswer {
  LoweredAnswer lowered;
  // Set if the answer was judged.
  std::optional<Verdict> verdict;
};

struct BackendAnswers {
  std::string backend;
  std::vector<TaskAnswer> answers;  // Whatever the verdict, in LowerInVariants()'s order.
  std::string obstacle;             // Why there is no answer.
};

struct TaskAnswers {
  std::optional<TaskGraph> task;         // Absent if the text has no graph.
  std::string obstacle;                  // Why there is no graph.
  std::vector<BackendAnswers> backends;  // One for each requested backend; empty without a graph.
};

// `reference`: Python in the KernelBench convention. A Status that is not ok reports a failure of
// this program, for example of a worker; a task that cannot be answered has an `obstacle`.
Result<TaskAnswers> AnswerTask(const std::string& reference, const AnswerRequest& request,
                               JudgePool* judges);

}  // namespace kernelmill
