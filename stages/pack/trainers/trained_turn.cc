#include "stages/pack/trainers/trained_turn.h"

#include "generators/wording/fenced_code.h"
#include "parsers/samples/reasoning_block.h"

namespace kernelmill {
namespace {

constexpr std::string_view kThink = "<think>";

// Separates the reasoning of an answer from its content.
void Separate(const TrainingRecord& training, TrainedTurn* turn) {
  const std::string& answer = training.messages.back().content;
  turn->content = answer;
  if (answer.starts_with(kThink)) {
    ModelSample sample;
    SetMessage(answer, &sample);
    turn->reasoning = std::move(sample.reasoning);
    turn->content = std::move(sample.message);
    return;
  }
  if (training.reasoning == kReasoningNone) return;
  // Answers with reasoning by rules end with their code.
  const FencedBlock code = LastFencedBlock(answer);
  if (code.end != answer.size()) return;
  std::string_view reasoning = std::string_view(answer).substr(0, code.begin);
  while (reasoning.ends_with('\n')) reasoning.remove_suffix(1);
  if (reasoning.empty()) return;
  turn->reasoning = reasoning;
  turn->content = answer.substr(code.begin);
}

}  // namespace

TrainedTurn TrainedTurn::Of(const Row& row) {
  TrainedTurn turn{.row = &row};
  const std::vector<Message>& messages = row.training.messages;
  turn.prompt.assign(messages.begin(), messages.end() - 1);
  Separate(row.training, &turn);
  turn.weight = row.attributes.weight;
  return turn;
}

std::string TrainedTurn::Thinking() const {
  if (reasoning.empty()) return content;
  return std::string(kThink) + "\n" + reasoning + "\n</think>\n\n" + content;
}

std::string TrainedTurn::Plain() const {
  return reasoning.empty() ? content : reasoning + "\n\n" + content;
}

std::vector<Message> FoldedTurns(const std::vector<Message>& messages) {
  std::vector<Message> folded;
  for (const Message& message : messages) {
    if (message.role == "system" || folded.empty() || folded.back().role == "system") {
      folded.push_back(message);
      continue;
    }
    const bool answer = message.role == "assistant";
    folded.back().content +=
        answer ? "\n\n---\n\nAn earlier answer:\n\n" : "\n\nThe reply to it:\n\n";
    folded.back().content += message.content;
  }
  return folded;
}

Json MessagesJson(const std::vector<Message>& messages) {
  Json::Array array;
  for (const Message& message : messages) array.push_back(message.ToJson());
  return array;
}

}  // namespace kernelmill
