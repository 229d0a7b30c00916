// The lane of the mining steps: one child process.
#pragma once

#include "stages/engine/step.h"
#include "stages/mine/mining_child.h"

namespace kernelmill {

struct MiningLane : Lane {
  explicit MiningLane(std::string program) : child(std::move(program)) {}
  MiningChild child;
};

// The outcome of an input whose reply carries a reason.
inline Outcome OutcomeOf(MiningReply reply) {
  return reply.rejected ? Outcome::Reject(reply.reason, reply.detail, std::move(reply.body))
                        : Outcome::Drop(reply.reason, reply.detail);
}

}  // namespace kernelmill
