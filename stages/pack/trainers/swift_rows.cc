#include "stages/pack/trainers/swift_rows.h"

namespace kernelmill {
namespace {

// ms-swift keeps role, content, loss and loss_scale of a message, and nothing else.
Json::Object Conversation(const TrainedTurn& turn) {
  Json::Array messages = MessagesJson(turn.prompt).as_array();
  for (Json& message : messages) {
    if (message.TextAt("role") == "assistant") message["loss"] = false;
  }
  messages.push_back(Json::Object{{"role", "assistant"},
                                  {"content", turn.Thinking()},
                                  {"loss", true},
                                  {"loss_scale", turn.weight}});
  return {{"messages", std::move(messages)}};
}

constexpr char kGuide[] = R"(```
swift sft --dataset data/train.jsonl --loss_scale last_round --is_binary_loss_scale false \
    --max_length {longest}
```

`loss_scale` is the weight of a row. Without `--is_binary_loss_scale false` every answer counts 1.
Without `--loss_scale last_round` the token that ends a wrong answer earlier in a conversation is
trained too.
)";

}  // namespace

TrainerFormat SwiftFormat() {
  return {.name = "swift",
          .explanation = "data/<split>.jsonl with the weight as loss_scale, for ms-swift",
          .row_of_turn = Conversation,
          .guide = kGuide};
}

}  // namespace kernelmill
