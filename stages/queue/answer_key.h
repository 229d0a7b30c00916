// The key of an answer in the queue: where its text stands in the frozen plan of a run of `verify`.
// A message holds this key and nothing else, so that a lost queue can be filled again from the
// plan.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "manifests/status.h"

namespace kernelmill {

// The names and values of a message, in order.
using MessageFields = std::vector<std::pair<std::string, std::string>>;

struct AnswerKey {
  std::string run;         // The output folder of the run, as an absolute path.
  std::string plan;        // Plan::Identity(), in hexadecimal digits.
  std::int64_t input = 0;  // The position of the input in the plan.
  std::string place;       // VerifyStep::PlaceKey() of the answer, which that input holds.

  MessageFields Fields() const;
  // kCorrupt for fields that are not those of a key.
  static Result<AnswerKey> FromFields(const MessageFields& fields);
};

}  // namespace kernelmill
