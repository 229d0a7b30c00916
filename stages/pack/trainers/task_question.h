// A question that a model is asked about a task, for reinforcement learning and for sampling: the
// task with one backend, or a conversation about it that ends with a question. The formats for
// them (trainer_format.h) write one row each.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "corpora/dataset/dataset_reader.h"
#include "corpora/kernel_backend.h"
#include "corpora/records/task.h"
#include "corpora/records/training_record.h"

namespace kernelmill {

struct TaskQuestion {
  Digest task_id;
  Task task;
  const KernelBackend* backend = &kCudaBackend;
  std::string split;
  std::vector<Message> messages;  // The last is the user's.
  std::int64_t turn = 1;          // The turn that is asked for.
  std::string retry;              // Of a repair prompt: RepairRequest::retry; otherwise empty.
  // Counts the questions about the task with this backend and turn from 0.
  std::int64_t number = 0;
  std::int64_t index = 0;  // Counts all questions of the split from 0.
};

struct QuestionOptions {
  std::vector<const KernelBackend*> backends = {&kCudaBackend};
  // The repair prompts that an RFT dataset asks for in its next round, and nothing else.
  bool retries = false;
  // Also the conversations of repair rows, up to the question that they answer.
  bool conversations = false;
  std::int64_t seed = 0;  // Of the wording.
};

// Visits the questions about one task, for each backend of `options` one. `id` names the task in
// requests; it may be the content_id that the task had before it was admitted. `split`: "train" or
// "validation". TaskQuestion::index is not set.
Status AskAboutTask(const Digest& id, const Record& task, const Record& annotation,
                    const std::string& split, const QuestionOptions& options,
                    const std::function<Status(const TaskQuestion& question)>& visit);

// Collects what the records of a dataset say about its tasks, and asks about each.
class TaskQuestions {
 public:
  explicit TaskQuestions(QuestionOptions options) : options_(std::move(options)) {}

  // Every record of the dataset, in any order.
  Status Add(const Digest& content_id, const Record& record);

  using Visit = std::function<Status(const TaskQuestion& question)>;
  // Visits the questions about each task in content_id order. A task without rows has no split, and
  // is left out. kCorrupt when a record is not in the dataset.
  Status ForEach(DatasetReader* dataset, const Visit& visit) const;

  std::int64_t left_out() const;  // Tasks.

 private:
  struct About {
    Digest annotation;
    bool is_task = false, is_annotated = false;
    std::string split;                  // Empty without rows.
    std::vector<Digest> conversations;  // Repair rows, in content_id order.
  };

  // Visits the questions about one task; their indices are not set.
  Status Ask(DatasetReader* dataset, const Digest& id, const About& about,
             const Visit& visit) const;

  QuestionOptions options_;
  std::map<Digest, About> tasks_;
};

// Visits the questions about all tasks of a published dataset. Returns how many tasks are left out,
// because they have no rows. kCorrupt when the dataset is damaged: before any visit, if its records
// do not have the manifest's Merkle root.
Result<std::int64_t> AskAboutTasks(const std::string& dataset, const QuestionOptions& options,
                                   const TaskQuestions::Visit& visit);

// The split of the questions of ForEachRepair().
inline constexpr char kRetrySplit[] = "retry";
// Visits the repair prompts in retry/ (stages/retry/retry_folder.h) of the folder `dataset`.
// kNotFound when it has none.
Status ForEachRepair(const std::string& dataset, const TaskQuestions::Visit& visit);

}  // namespace kernelmill
