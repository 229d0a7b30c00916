// Step "supply": tasks of the user's own (stages/supply/task_source.h), as a source beside
// repositories.
#pragma once

#include <string>
#include <vector>

#include "stages/engine/run.h"
#include "stages/engine/step.h"
#include "stages/mine/mining_options.h"
#include "stages/supply/task_source.h"

namespace kernelmill {

// Input: a row as SuppliedRow::Encode(). Output: the task as an encoded record under its
// content_id, whose inputs admission fills in; equal tasks become one there, of both origins.
// Rejected: rows that hold no reference, text that no record may hold, and licences that are named
// and not allowed. Who names none vouches for the text: it is recorded as NOASSERTION.
class SupplyStep : public Step {
 public:
  explicit SupplyStep(const MiningOptions& options)
      : largest_(options.largest_file),
        licences_(options.licences),
        child_program_(options.child_program) {}

  std::string_view Name() const override { return "supply"; }
  int Version() const override { return 3; }
  Json Parameters() const override;
  Result<std::unique_ptr<Lane>> OpenLane() override;
  Result<Outcome> Process(const Input& input, Lane& lane) override;

  // The rows of all sources; with `wanted`, those among them whose origin it says.
  Run::Propose Inputs(const std::vector<TaskSource>& sources,
                      const OriginFilter& wanted = nullptr) const;

 private:
  std::int64_t largest_;  // Reference, in bytes.
  std::vector<std::string> licences_;
  std::string child_program_;
};

}  // namespace kernelmill
