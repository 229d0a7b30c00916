// The plan of one step: its inputs, frozen before the first of them is used. The inputs themselves
// rest in a shard beside the plan; the plan names that file, its size and its hash.
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
  Digest tool;                // Of the program and the worker that make the outputs.
  std::int64_t partitions = 1;
  std::int64_t proposed = 0;  // How many inputs were offered, and
  std::int64_t inputs = 0;    // how many there are once equal ones are one.
  Digest inputs_digest;       // Over every key and body, in key order.
  std::string inputs_file;    // Beside the plan.
  std::int64_t inputs_size = 0;  // Bytes of that file, and
  Digest inputs_sha256;          // their hash.

  // Of everything but the physical file: two plans with one identity have the same outputs.
  Digest Identity() const;

  // The inputs [FirstOf(p), FirstOf(p + 1)) are partition p.
  std::int64_t FirstOf(std::int64_t partition) const { return inputs * partition / partitions; }

  Json ToJson() const;
  static Result<Plan> FromJson(const Json& json);
};

// What differs between two plans of one step, for people; empty when nothing does.
std::string DescribePlanChange(const Plan& before, const Plan& now);

}  // namespace kernelmill
