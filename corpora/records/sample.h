// The record of a model's answer to a task, with all that its file says of it. The step "join"
// makes it, and "render" trains it or shows it as a mistake. The verdict on its code is in a
// candidate's record (candidate.h), which the step "select" makes.
//
// The payload is the same whatever the format of the file and the place of the sample in it, so
// equal samples are one record. verdicts.jsonl beside the records has the file, the line and its
// SHA-256 for each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "corpora/records/record.h"
#include "corpora/records/training_record.h"

namespace kernelmill {

struct Sample {
  Digest task;                     // content_id of the task.
  std::string backend;             // "cuda" or "musa": the kernels that it was judged as.
  std::string model;               // kUnknownModel (manifests/origin.h) if nothing names it.
  Json sampling = Json::Object();  // The known sampling parameters: {"temperature": 0.8}.
  std::int64_t turn = 1;           // Of the conversation, from 1.
  // Of an answer to a repair prompt: the content_id of the sample that failed in an earlier round.
  std::optional<Digest> repairs;
  std::vector<Message>
      prompt;  // The messages before it, if the file has them and they ask something.
  // What the model wrote after its reasoning. With `code_only` this is code without a message.
  std::string message;
  bool code_only = false;
  std::string reasoning;  // What it wrote before; "" if there is none.
  bool cut = false;       // The model was stopped at a limit of its tokens.

  // The sampled origin of the record.
  Origin SampledOrigin() const;

  Json ToJson() const;
  static Result<Sample> FromJson(const Json& json);
  friend bool operator==(const Sample&, const Sample&) = default;
};

// Attributes of the record of a selected sample: its pool, its cluster (both as hexadecimal
// digits), the samples of its cluster, and the selected samples of its pool.
inline constexpr char kPoolAttribute[] = "pool_id";
inline constexpr char kClusterAttribute[] = "cluster_id";
inline constexpr char kClusterSizeAttribute[] = "cluster_size";
inline constexpr char kPoolSizeAttribute[] = "pool_size";
// How many times as fast as eager PyTorch it is on a device; absent when it was not measured.
inline constexpr char kSpeedupAttribute[] = "speedup";

}  // namespace kernelmill
