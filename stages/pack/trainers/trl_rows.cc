#include "stages/pack/trainers/trl_rows.h"

namespace kernelmill {
namespace {

// SFTTrainer puts the loss on the completion. It calls the chat template for each row with its
// "chat_template_kwargs": a template with an empty <think> block puts that into the prompt where
// thinking is off, so that it is not trained.
Json::Object Completion(const TrainedTurn& turn) {
  const std::vector<Message> answer = {{"assistant", turn.Thinking()}};
  return {{"prompt", MessagesJson(turn.prompt)},
          {"completion", MessagesJson(answer)},
          {"chat_template_kwargs", Json::Object{{"enable_thinking", !turn.reasoning.empty()}}}};
}

// Columns beside "prompt" arrive as keyword arguments of the reward function.
std::vector<Json::Object> Question(const TaskQuestion& question, const TrainerOptions&) {
  return {{{"prompt", MessagesJson(question.messages)},
           {"task_id", question.task_id.Hex()},
           {"task", question.task.code},
           {"backend", question.backend->name},
           {"contract", question.task.Contract().Text()},
           {"target", question.backend->targets.front().name}}};
}

constexpr char kGuide[] = R"(```python
import datasets, trl
rows = datasets.load_dataset("json", data_files={"train": "data/train.jsonl"})
settings = trl.SFTConfig(max_length={longest})  # The default, 1024, cuts longer rows silently.
trl.SFTTrainer(model, settings, train_dataset=rows["train"]).train()
```

Only the completion is trained. A <think> block in it holds the reasoning of the answer.
)";

constexpr char kRlGuide[] = R"(```python
import datasets, kernelmill.reward, trl
rows = datasets.load_dataset("json", data_files={"train": "data/train.jsonl"})
trl.GRPOTrainer(model, kernelmill.reward.reward, train_dataset=rows["train"]).train()
```

The function is in the Python package of kernelmill. It asks a running `kernelmill serve` to judge each completion
as an answer to `task`, for the columns `backend`, `contract` and `target`.
)";

}  // namespace

TrainerFormat TrlFormat() {
  return {.name = "trl",
          .explanation = "data/<split>.jsonl with prompt and completion, for TRL's SFTTrainer",
          .row_of_turn = Completion,
          .guide = kGuide};
}

TrainerFormat TrlRlFormat() {
  return {.name = "trl-rl",
          .explanation = "data/<split>.jsonl with one task a row, for TRL's GRPOTrainer",
          .rows_of_question = Question,
          .guide = kRlGuide};
}

}  // namespace kernelmill
