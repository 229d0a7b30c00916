#include "stages/admit/repair_search.h"

#include "stages/admit/repair.h"

namespace kernelmill {
namespace {

// Identifies an error by its place and operands: a change that leaves it the same had no effect.
std::string Identity(const WorkerReply& reply) {
  if (!reply.fault) return "";
  const Fault& fault = *reply.fault;
  std::string identity = fault.type + '\n' + fault.message + '\n' + std::to_string(fault.line);
  for (const Comparison& comparison : fault.compared) {
    identity += '\n' + std::to_string(comparison.left) + ' ' + std::to_string(comparison.right);
  }
  if (fault.layer && fault.layer->received) {
    for (std::int64_t size : *fault.layer->received) identity += ' ' + std::to_string(size);
  }
  return identity;
}

}  // namespace

RepairSearch::RepairSearch(const MinedModule& module, int most_repairs)
    : module_(module), repairs_left_(most_repairs) {}

std::optional<ArgumentSet> RepairSearch::Next() {
  while (next_mined_ < module_.arguments.size()) {
    const ArgumentSet& mined = module_.arguments[next_mined_++];
    if (tried_.insert(mined.ToJson().Dump()).second) return mined;
  }
  while (repairs_left_ > 0) {
    Branch* best = nullptr;
    for (Branch& branch : branches_) {
      if (branch.next == branch.proposals.size()) continue;
      const auto rank = [](const Branch& b) { return std::pair(b.progress, b.steps); };
      // Of two equal branches the later one is preferred, because it already contains a repair.
      if (best == nullptr || rank(branch) >= rank(*best)) best = &branch;
    }
    if (best == nullptr) return std::nullopt;
    const ArgumentSet& proposal = best->proposals[best->next++];
    if (!tried_.insert(proposal.ToJson().Dump()).second) continue;
    --repairs_left_;
    repairing_ = true;
    return proposal;
  }
  return std::nullopt;
}

void RepairSearch::Failed(const ArgumentSet& arguments, const WorkerReply& reply, int progress) {
  if (reply.fault && !faults_.insert(Identity(reply)).second) return;
  if (!signature_) signature_ = ReadModuleSignature(module_.code);
  Branch branch;
  branch.progress = progress;
  branch.steps = reply.fault ? reply.fault->operators_run : 0;
  branch.proposals = ProposeRepairs(*signature_, arguments, reply);
  if (!branch.proposals.empty()) branches_.push_back(std::move(branch));
}

}  // namespace kernelmill
