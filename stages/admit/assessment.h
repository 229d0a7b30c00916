// Decides from the worker's reply to a run of a task whether the task is admitted or for which
// reason it is rejected, and how far the run came. Called by Admission (admission.h); the repairs
// of mined modules continue with the arguments that came furthest.
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
