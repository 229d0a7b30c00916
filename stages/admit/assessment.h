// Decides from a worker's reply whether a task is admitted, or why not.
#pragma once

#include <string>

#include "stages/admit/worker_reply.h"

namespace kernelmill {

struct Assessment {
  std::string reason;  // A name from manifests/reason.h; empty when the task is admitted.
  std::string detail;  // One line for people.
  // How far the task came: 0 not run, 1 building, 2 drawing inputs, 3 running, 4 the checks.
  int progress = 0;

  bool admitted() const { return reason.empty(); }
};

Assessment Assess(const WorkerReply& reply);

// Whether the run reached a limit, so that a higher one could change the reply.
bool StoppedByLimit(const WorkerReply& reply);

}  // namespace kernelmill
