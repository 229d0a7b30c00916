#include "stages/pack/trainers/axolotl_rows.h"

#include "corpora/dataset/dataset_layout.h"

namespace kernelmill {
namespace {

constexpr char kTrain[] = "train";

// Every message has every field: a reader of JSON lines takes the types of all rows from the first
// ones.
Json::Object Conversation(const TrainedTurn& turn) {
  Json::Array messages;
  for (const Message& message : turn.prompt) {
    messages.push_back(Json::Object{{"role", message.role},
                                    {"content", message.content},
                                    {"reasoning_content", ""},
                                    {kTrain, false}});
  }
  messages.push_back(Json::Object{{"role", "assistant"},
                                  {"content", turn.content},
                                  {"reasoning_content", turn.reasoning},
                                  {kTrain, true}});
  return {{"messages", std::move(messages)}};
}

// The part of a configuration that says how to read the rows.
std::map<std::string, std::string> Settings(const std::vector<std::string>& splits) {
  std::string text;
  for (const std::string& split : splits) {
    text += split == "train" ? "datasets:\n" : "test_datasets:\n";
    text += "  - path: " + std::string(kDataFolder) + "/" + split + ".jsonl\n";
    text += "    ds_type: json\n    type: chat_template\n    field_messages: messages\n";
    text += split == "train" ? "" : "    split: train\n";
    text += "    message_field_training: " + std::string(kTrain) + "\n";
    text += "    roles_to_train: []\n    train_on_eos: turn\n";
  }
  return {{"axolotl.yaml", text}};
}

constexpr char kGuide[] = R"(Add the lines of axolotl.yaml to your configuration, and

```yaml
sequence_len: {longest}   # Longer rows are dropped.
```

Its paths are relative to this folder. `message_field_training` names the field that says whether a
message is trained: without it, wrong answers earlier in a conversation are trained too. Chat
templates without `reasoning_content` leave the reasoning out.
)";

}  // namespace

TrainerFormat AxolotlFormat() {
  return {.name = "axolotl",
          .explanation = "axolotl.yaml and data/<split>.jsonl, for axolotl",
          .row_of_turn = Conversation,
          .more_files = Settings,
          .guide = kGuide};
}

}  // namespace kernelmill
