// The rows that are written about one subject. A new kind of subject is one more entry of the
// table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpora/record.h"
#include "corpora/training_record.h"
#include "stages/mine/mining_lane.h"

namespace kernelmill {

struct Rendering {
  std::vector<TrainingRecord> rows;
  std::vector<Digest> inputs;  // The records that the rows were made from, the subject first.
  // Why the subject is refused, of manifests/reason.h, and the bytes for quarantine; "" keeps it, with
  // its rows or without one.
  std::string reason;
  std::string detail;
  std::string original;
};

struct Renderer {
  RecordKind subject;
  // `records` are all that is known about the subject, itself among them. A Status is a fault of
  // ours.
  Result<Rendering> (*render)(const std::vector<Record>& records, const Record& subject,
                              std::int64_t seed, MiningLane& lane);
};

// Nothing for records that are no subject.
const Renderer* RendererOf(RecordKind kind);

}  // namespace kernelmill
