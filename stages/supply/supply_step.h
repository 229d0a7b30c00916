// Step "supply": tasks of the user's own (stages/supply/task_source.h), as a source beside
// repositories.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "stages/engine/run.h"
#include "stages/engine/step.h"
#include "stages/supply/task_source.h"

namespace kernelmill {

// Input: a row as SuppliedRow::Encode(). Output: the task as an encoded record under its
// content_id, whose inputs admission fills in; equal tasks become one there, of both origins.
// Rejected: rows that hold no reference, text that no record may hold, and licences that are named
// and not allowed. Who names none vouches for the text: it is recorded as NOASSERTION.
struct SupplyOptions {
  std::int64_t largest = 1 << 20;  // Bytes of one reference; longer ones are rejected.
  // SPDX identifiers that may enter a dataset.
  std::vector<std::string> licences;
  // Runs as the confined child, see UntrustedChild.
  std::string child_program = "/proc/self/exe";
};

class SupplyStep : public Step {
 public:
  explicit SupplyStep(SupplyOptions options) : options_(std::move(options)) {}

  std::string_view Name() const override { return "supply"; }
  int Version() const override { return 3; }
  Json Parameters() const override;
  Result<std::unique_ptr<Lane>> OpenLane() override;
  Result<Outcome> Process(const Input& input, Lane& lane) override;

  // The rows of all sources; with `wanted`, those among them whose origin it says.
  Run::Propose Inputs(const std::vector<TaskSource>& sources,
                      const OriginFilter& wanted = nullptr) const;

 private:
  const SupplyOptions options_;
};

}  // namespace kernelmill
