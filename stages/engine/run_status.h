// How far a run is, read from its folder alone; the run may be going on, or dead.
#pragma once

#include <string>
#include <vector>

#include "manifests/part_manifest.h"

namespace kernelmill {

struct RunStatus {
  struct StepStatus {
    std::string step;
    std::int64_t inputs = 0;
    std::int64_t partitions = 0;
    std::int64_t committed = 0;  // Partitions.
    StepCounts counts;           // Of those.
  };
  std::string folder;
  bool published = false;  // There is a manifest: the dataset is complete.
  bool running = false;    // A process holds the folder.
  std::vector<StepStatus> steps;

  std::string Text() const;
  Json ToJson() const;
};

// kNotFound when the folder holds neither a run nor a dataset.
Result<RunStatus> ReadRunStatus(const std::string& folder);

}  // namespace kernelmill
