// Reads how far a run has come from its folder alone, for the command `status` and for the dry run
// of `sft`. The run may be in progress, stopped or killed; nothing is written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "manifests/partition_manifest.h"
#include "stages/engine/partition_lease.h"
#include "stages/engine/step_spec.h"

namespace kernelmill {

// In a run's state: the names of the steps that the run consists of, as a list.
inline constexpr std::string_view kStepListName = "steps/recipe.json";

struct RunStatus {
  struct StepStatus {
    std::string step;
    std::string takes;  // StepSpec::takes; "inputs" for a step that the table does not have.
    std::int64_t inputs = 0;
    std::int64_t partitions = 0;
    std::int64_t committed = 0;          // Partitions.
    StepCounts counts;                   // Over the committed partitions.
    std::vector<PartitionLease> leases;  // Partitions that processes work on, on any machine.
  };
  std::string folder;
  bool published = false;            // The folder has a manifest: the dataset is complete.
  bool running = false;              // A process works in the folder, here or on another machine.
  std::vector<StepStatus> steps;     // Steps that have a plan, in the order of the table.
  std::vector<std::string> to_come;  // The steps of an unfinished run that have no plan yet.

  std::string Text() const;
  Json ToJson() const;
};

// kNotFound when the folder holds neither a run nor a dataset.
Result<RunStatus> ReadRunStatus(const std::string& folder, const std::vector<StepSpec>& table);

}  // namespace kernelmill
