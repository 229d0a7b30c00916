// The plan of one step: the step, its parameters and its inputs, frozen by the engine before the
// first input is used and divided into partitions. The inputs are stored in a shard beside the
// plan, which names that file with its size and hash. A run that is continued compares its plan
// with the stored one.
#pragma once

#include <cstdint>
#include <string>

#include "manifests/digest.h"
#include "manifests/json.h"

namespace kernelmill {

struct Plan {
  std::string step;
  int version = 1;            // Step::Version().
  Json parameters;            // Step::Parameters().
  Digest tool;                // Of the program and the torch worker that make the outputs.
  std::int64_t partitions = 1;
  std::int64_t proposed = 0;  // The number of inputs before equal ones are merged,
  std::int64_t inputs = 0;    // and after.
  Digest inputs_digest;       // Over every key and body, in key order.
  std::string inputs_file;    // Beside the plan.
  std::int64_t inputs_size = 0;  // Of that file, in bytes.
  Digest inputs_sha256;          // Of that file.

  // The hash of everything but the physical file. Plans of equal identity have equal outputs.
  Digest Identity() const;

  // Partition p consists of the inputs [FirstInputOf(p), FirstInputOf(p + 1)).
  std::int64_t FirstInputOf(std::int64_t partition) const {
    return inputs * partition / partitions;
  }

  Json ToJson() const;
  static Result<Plan> FromJson(const Json& json);
};

// The differences between two plans of one step, for a message; empty when there are none.
std::string DescribePlanChange(const Plan& before, const Plan& now);

}  // namespace kernelmill
