// Writes one partition of a step's results into the step's folder: outputs and rejects in plan
// order, then the manifest that commits them. Used by Run (run.h); the reading functions serve
// resumed runs and `status`.
#pragma once

#include <optional>
#include <string>

#include "corpora/shards/shard.h"
#include "manifests/partition_manifest.h"
#include "manifests/plan.h"
#include "stages/engine/step.h"

namespace kernelmill {

// "part-00012" in the folder of its step; the manifest is that name with ".json".
std::string PartName(std::int64_t partition);
bool IsCommitted(const std::string& step_folder, std::int64_t partition);
// Reads and checks the manifest of a committed partition and the files it names.
Result<PartitionManifest> ReadPartitionManifest(const std::string& step_folder, const Plan& plan,
                                                std::int64_t partition);

// Encode an output's key and body as one shard value, and decode it again.
std::string JoinKeyAndBody(std::string_view key, std::string_view body);
Result<std::pair<std::string_view, std::string_view>> SplitKeyAndBody(std::string_view value);

class PartitionWriter {
 public:
  static Result<PartitionWriter> Create(const std::string& step_folder, const Plan& plan,
                                        std::int64_t partition);

  Status Add(const Input& input, const Outcome& outcome);
  // Syncs and commits. Succeeds if another process has committed the partition first with the same
  // bytes; kInternal if the bytes differ, in which case those of the first writer stay.
  Status Commit();
  const StepCounts& counts() const { return manifest_.counts; }

 private:
  PartitionWriter(std::string folder, ShardWriter outputs, ShardWriter rejects)
      : folder_(std::move(folder)), outputs_(std::move(outputs)), rejects_(std::move(rejects)) {}

  Status AddReject(const std::string& key, const std::string& reason, const std::string& detail,
                   const std::vector<Origin>& origins, const std::string& original);

  std::string folder_;
  std::string step_;
  PartitionManifest manifest_;
  std::string outputs_file_, rejects_file_;
  ShardWriter outputs_, rejects_;
};

}  // namespace kernelmill
