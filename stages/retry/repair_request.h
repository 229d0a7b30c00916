// A repair prompt that is asked for in the round after the one that wrote it: a line of
// retry/prompts.jsonl in an RFT dataset (retry_folder.h).
#pragma once

#include <string>
#include <vector>

#include "corpora/records/training_record.h"
#include "parsers/samples/custom_id.h"
#include "stages/retry/retry_entry.h"

namespace kernelmill {

// The turn that answers a repair prompt: turn 1 is the failed answer.
inline constexpr std::int64_t kRepairTurn = 2;

// The name of a generation of the retry buffer in the names of requests and samples
// (CustomId::retry): the first digits of its digest.
std::string RetryName(const Digest& generation);

struct RepairRequest {
  RetryKey key;
  std::string retry;      // RetryName() of the generation that it was drawn from.
  Digest sample;          // The content_id of the failed sample that it shows.
  std::int64_t slot = 0;  // Of the next round (retry_draw.h).
  std::string prompt_template;
  std::vector<Message> messages;

  // The name by which answers come back. It names no attempt: those of a request count from 0.
  CustomId Name() const;
  // Also has "custom_id", the text of Name(), for programs that send requests of their own.
  Json ToJson() const;
  static Result<RepairRequest> FromJson(const Json& json);
  friend bool operator==(const RepairRequest&, const RepairRequest&) = default;
};

}  // namespace kernelmill
