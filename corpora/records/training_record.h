// A training record: the messages of one row, and what they are about.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpora/records/record.h"

namespace kernelmill {

// What a row teaches. Closed: add a value here and a line in training_record.cc. The names are a
// column of the dataset.
enum class Family {
  kTranslate,       // From a PyTorch module to a native kernel that does the same.
  kShapeReasoning,  // From a module and its inputs to every shape in between.
  kKnowledge,       // How a native kernel maps threads, indexes, guards, shares and reduces.
  kAnalyze,         // What bounds a kernel, and how it uses the machine.
  kOptimize,        // From a right kernel to a better one.
  kPort,            // From CUDA to MUSA or back.
  kReview,          // Whether a kernel is right, and what is wrong with it.
  kRepair,          // From a wrong kernel and what was found to a right one.
  kTest,            // From a module to a check that tells right kernels from wrong ones.
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

// How much reasoning stands in front of what is asked for: a column of the dataset.
inline constexpr std::string_view kReasoningNone = "none", kReasoningPlan = "plan",
                                  kReasoningFull = "full";
// The author of reasoning that follows from records by rule; a model's is its name.
inline constexpr std::string_view kReasonedByRule = "kernelmill";

struct TrainingRecord {
  Family family = Family::kShapeReasoning;
  std::string backend;  // "pytorch", "cuda" or "musa": the language of the code in question.
  std::string prompt_template;  // Which wording asked; the share of each is bounded.
  Digest task_id;               // content_id of the task or kernel that the row is about.
  std::string candidate;  // content_id of the answer that is trained, or spoken of; empty for none.
  std::string reasoning{kReasoningNone};
  std::string reasoning_author;  // Empty where there is none.
  // What shows that an answer is faster: "measured" on a device, "counted", or "none".
  std::string perf_evidence = "none";
  // Of the answer that is trained (Candidate::estimated_speed); 0 where it is not known, or none is.
  double estimated_speed = 0;
  // Rows of one conversation, one for each turn that is trained, share its id; empty for a
  // conversation of one turn. Turns count from 1.
  std::string trajectory_id;
  std::int64_t turn = 1, n_turns = 1;
  std::vector<Message> messages;  // Strictly alternating after an optional system message; the last
                                  // is the assistant's, and the only one that is trained.

  // Of three stages of training, the first in which the row has its place: 1 operators and basic
  // correctness, 2 structured reasoning, 3 feedback.
  int CurriculumStage() const;

  Json ToJson() const;
  static Result<TrainingRecord> FromJson(const Json& json);
};

}  // namespace kernelmill
