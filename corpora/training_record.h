// A training record: the messages of one row, and what they are about.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpora/record.h"

namespace kernelmill {

// What a row teaches. Closed; the names are a column of the dataset.
enum class Family {
  kShapeReasoning,  // From a module and its inputs to every shape in between.
  kKnowledge,       // How a native kernel maps threads, indexes, guards, shares and reduces.
};
std::string_view FamilyName(Family family);
Result<Family> FamilyFromName(std::string_view name);
const std::vector<Family>& AllFamilies();

struct Message {
  std::string role;  // "system", "user" or "assistant".
  std::string content;

  Json ToJson() const;
  static Result<Message> FromJson(const Json& json);
  friend bool operator==(const Message&, const Message&) = default;
};

struct TrainingRecord {
  Family family = Family::kShapeReasoning;
  std::string backend;  // "pytorch", "cuda" or "musa": the language of the code in question.
  std::string prompt_template;    // Which wording asked; the share of each is bounded.
  Digest subject;                 // content_id of the task or kernel that the row is about.
  std::vector<Message> messages;  // Strictly alternating after an optional system message; the last
                                  // is the assistant's, and the only one that is trained.

  Json ToJson() const;
  static Result<TrainingRecord> FromJson(const Json& json);
};

}  // namespace kernelmill
