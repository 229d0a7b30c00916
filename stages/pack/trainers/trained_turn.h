// A row as trainers take it: what it is asked, and the answer that is trained, with its reasoning
// apart. Every format for a trainer (trainer_format.h) writes its rows from this.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corpora/dataset/row.h"

namespace kernelmill {

struct TrainedTurn {
  const Row* row = nullptr;
  // All messages but the trained one. Answers among them are context, and wrong in rows of the
  // family "repair".
  std::vector<Message> prompt;
  // The answer is `reasoning`, a blank line and `content`; where the row has no reasoning before
  // the code of its answer, `content` is all of it.
  std::string reasoning;
  std::string content;
  double weight = 1;      // What is left to apply: 1 where rows are drawn by their weight.
  std::int64_t copy = 0;  // Counts the copies of a row from 0 where rows are drawn.

  // `row` must outlive the result.
  static TrainedTurn Of(const Row& row);
  // The answer with its reasoning in a <think> block, as models with one write it.
  std::string Thinking() const;
  // The answer as the row has it, without tags.
  std::string Plain() const;
};

// The messages with all turns after a system message in one question: the first question, then
// each answer with the reply to it. For trainers that train every answer of a conversation.
std::vector<Message> FoldedTurns(const std::vector<Message>& messages);

// [{"role", "content"}, …].
Json MessagesJson(const std::vector<Message>& messages);

}  // namespace kernelmill
