// The lane of a step that works on untrusted input: one confined child process (untrusted_child.h).
// The steps "walk", "read", "slice", "supply" and "render" open one for each thread.
#pragma once

#include <string>
#include <utility>

#include "stages/engine/step.h"
#include "stages/untrusted/untrusted_child.h"

namespace kernelmill {

struct UntrustedLane : Lane {
  explicit UntrustedLane(std::string program) : child(std::move(program)) {}
  UntrustedChild child;
};

// The outcome of an input whose reply carries a reason.
inline Outcome OutcomeOf(UntrustedReply reply) {
  return reply.rejected ? Outcome::Reject(reply.reason, reply.detail, std::move(reply.body))
                        : Outcome::Drop(reply.reason, reply.detail);
}

}  // namespace kernelmill
