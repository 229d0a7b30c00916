#include "stages/pack/trainers/verl_rows.h"

namespace kernelmill {
namespace {

using Type = ParquetField::Type;

// verl renders each message alone and compares that with the whole conversation: templates that
// treat <think> specially render an answer alone differently, so the reasoning has no tags.
Json::Object Conversation(const TrainedTurn& turn) {
  std::vector<Message> messages = turn.prompt;
  messages.push_back({"assistant", turn.Plain()});
  return {{"messages", MessagesJson(messages)}};
}

std::vector<Json::Object> Question(const TaskQuestion& question, const TrainerOptions&) {
  return {{{"data_source", "kernelmill"},
           {"prompt", MessagesJson(question.messages)},
           {"ability", "kernels"},
           {"reward_model", Json::Object{{"style", "rule"}, {"ground_truth", question.task.code}}},
           {"extra_info", Json::Object{{"split", question.split},
                                       {"index", question.index},
                                       {"turn", question.turn},
                                       {"task_id", question.task_id.Hex()},
                                       {"backend", question.backend->name},
                                       {"contract", question.task.Contract().Text()},
                                       {"target", question.backend->targets.front().name}}}}};
}

constexpr char kGuide[] = R"(```
data.train_files=data/train.parquet data.val_files=data/validation.parquet
data.max_length={longest}     # The default is 1024, and longer rows are an error.
```

verl trains every answer of a conversation. Earlier answers therefore stand within the question.
Its check of tokens refuses chat templates that add <think> to the last answer, whatever the data.
)";

constexpr char kRlGuide[] = R"(```
data.train_files=data/train.parquet data.val_files=data/validation.parquet
data.max_prompt_length={longest}
custom_reward_function.path=…/kernelmill/reward.py custom_reward_function.name=compute_score
```

The function is in the Python package of kernelmill, and asks a running `kernelmill serve`. It gets the text of the
task as `ground_truth`, and in `extra_info` its id, the backend, the contract and the target. Newer versions of verl
name the settings `reward.custom_reward_function…`.
)";

}  // namespace

TrainerFormat VerlFormat() {
  return {.name = "verl",
          .explanation = "data/<split>.parquet with messages, for verl's SFT trainer",
          .row_of_turn = Conversation,
          .columns = {MessagesField("messages"),
                      {"content_id"},
                      {"family"},
                      {"weight", Type::kNumber},
                      {"copy", Type::kInteger}},
          .always_folds = true,
          .guide = kGuide};
}

TrainerFormat VerlRlFormat() {
  return {.name = "verl-rl",
          .explanation = "data/<split>.parquet with one task a row, for verl's RL trainers",
          .rows_of_question = Question,
          .columns = {{"data_source"},
                      MessagesField("prompt"),
                      {"ability"},
                      {"reward_model", Type::kStruct, {{"style"}, {"ground_truth"}}},
                      {"extra_info",
                       Type::kStruct,
                       {{"split"},
                        {"index", Type::kInteger},
                        {"turn", Type::kInteger},
                        {"task_id"},
                        {"backend"},
                        {"contract"},
                        {"target"}}}},
          .guide = kRlGuide};
}

}  // namespace kernelmill
