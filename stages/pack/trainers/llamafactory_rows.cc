#include "stages/pack/trainers/llamafactory_rows.h"

#include "corpora/dataset/dataset_layout.h"

namespace kernelmill {
namespace {

Json::Object Conversation(const TrainedTurn& turn) {
  std::vector<Message> messages = turn.prompt;
  messages.push_back({"assistant", turn.Thinking()});
  return {{"messages", MessagesJson(messages)}};
}

// One data set for each split: "kernelmill" for training, "kernelmill_<split>" for another one. The
// formatting "openai" would add a line to system messages.
std::map<std::string, std::string> DatasetInfo(const std::vector<std::string>& splits) {
  Json::Object info;
  for (const std::string& split : splits) {
    info[split == "train" ? "kernelmill" : "kernelmill_" + split] =
        Json::Object{{"file_name", std::string(kDataFolder) + "/" + split + ".jsonl"},
                     {"formatting", "sharegpt"},
                     {"columns", Json::Object{{"messages", "messages"}}},
                     {"tags", Json::Object{{"role_tag", "role"},
                                           {"content_tag", "content"},
                                           {"user_tag", "user"},
                                           {"assistant_tag", "assistant"},
                                           {"system_tag", "system"}}}};
  }
  return {{"dataset_info.json", Json(std::move(info)).Pretty()}};
}

constexpr char kGuide[] = R"(```yaml
dataset_dir: .            # This folder, which has a dataset_info.json.
dataset: kernelmill
mask_history: true        # Without it, wrong answers earlier in a conversation are trained too.
cutoff_len: {longest}     # Longer rows are cut silently.
```

`--fold-history` writes rows that need no mask_history.
)";

}  // namespace

TrainerFormat LlamaFactoryFormat() {
  return {.name = "llamafactory",
          .explanation = "dataset_info.json and data/<split>.jsonl, for LLaMA-Factory",
          .row_of_turn = Conversation,
          .more_files = DatasetInfo,
          .guide = kGuide};
}

}  // namespace kernelmill
