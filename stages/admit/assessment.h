// What a worker's reply means for a task: admitted, or the reason why not.
#pragma once

#include <string>

#include "stages/admit/worker_reply.h"

namespace kernelmill {

struct Assessment {
  std::string reason;  // A name of manifests/reason.h; empty: admitted.
  std::string detail;  // One line for people.
  // How far the task came: 0 not run, 1 building, 2 drawing inputs, 3 running, 4 the checks.
  int progress = 0;

  bool admitted() const { return reason.empty(); }
};

Assessment Assess(const WorkerReply& reply);

// Whether more time, memory or output could change the answer.
bool StoppedByLimit(const WorkerReply& reply);

}  // namespace kernelmill
