// A training record: the messages of one row, its family, and the records that it is about.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpora/records/record.h"

namespace kernelmill {

// The kind of a row. To add one, add a value here and a line in training_record.cc. The names are a
// column of the dataset.
enum class Family {
  kTranslate,       // A PyTorch module → a native kernel that computes the same.
  kShapeReasoning,  // A module and its inputs → every intermediate shape.
  // How a native kernel maps threads, indexes, guards bounds, uses shared memory and reduces.
  kKnowledge,
  kAnalyze,   // What limits a kernel's speed, and how it uses the device.
  kOptimize,  // A right kernel → a faster one.
  kPort,      // CUDA → MUSA, or the reverse.
  kReview,    // Whether a kernel is right, and what is wrong with it.
  kRepair,    // A wrong kernel and its verdict → a right one.
  kTest,      // A module → a check that tells right kernels from wrong ones.
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

// The amount of reasoning before the answer: a column of the dataset.
inline constexpr std::string_view kReasoningNone = "none", kReasoningPlan = "plan",
                                  kReasoningFull = "full";
// The author of reasoning that was derived from records by rules. Reasoning of a model has the
// model's name as its author.
inline constexpr std::string_view kReasonedByRule = "kernelmill";

// The language of rows about modules alone, in the place of a backend's name.
inline constexpr std::string_view kPytorch = "pytorch";

struct TrainingRecord {
  Family family = Family::kShapeReasoning;
  std::string backend;          // kPytorch or a backend's name: the language of the code.
  std::string prompt_template;  // The name of the prompt's wording. The share of each is bounded.
  Digest task_id;               // The content_id of the task or kernel that the row is about.
  std::string candidate;  // The content_id of the candidate that is trained or discussed, or "".
  std::string reasoning{kReasoningNone};
  std::string reasoning_author;  // Empty without reasoning.
  // The evidence that an answer is faster: "measured" on a device, "counted", or "none".
  std::string perf_evidence = "none";
  // Candidate::estimated_speed of the trained answer; 0 when it is unknown or no answer is trained.
  double estimated_speed = 0;
  // The rows of one conversation share this id, one row for each trained turn. Empty for a
  // conversation of one turn. Turns count from 1.
  std::string trajectory_id;
  std::int64_t turn = 1, n_turns = 1;
  // Strictly alternating after an optional system message. The last message is the assistant's, and
  // only it is trained.
  std::vector<Message> messages;

  // The first stage of training that uses the row: 1 operators and basic correctness, 2 structured
  // reasoning, 3 feedback.
  int CurriculumStage() const;

  Json ToJson() const;
  static Result<TrainingRecord> FromJson(const Json& json);
};

}  // namespace kernelmill
