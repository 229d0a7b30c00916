// Chooses the arguments that "admit" tries next for one mined module: first the mined ones in their
// order, then repairs of those that came furthest. The step asks Next(), runs the module with the
// result, and reports a failure with Failed(). The search is deterministic, and the number of
// repairs is bounded.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "corpora/records/mined_module.h"
#include "stages/admit/module_signature.h"
#include "stages/admit/worker_reply.h"

namespace kernelmill {

class RepairSearch {
 public:
  RepairSearch(const MinedModule& module, int most_repairs);

  // The arguments to try next; nothing when all have been tried or the bound is reached.
  std::optional<ArgumentSet> Next();
  // Whether the last result of Next() is a repair.
  bool repairing() const { return repairing_; }
  // Records how the last result of Next() failed, and how far it came (Assessment::progress).
  void Failed(const ArgumentSet& arguments, const WorkerReply& reply, int progress);

 private:
  // The proposals for one failure, likeliest first.
  struct Branch {
    int progress = 0;
    std::int64_t steps = 0;
    std::vector<ArgumentSet> proposals;
    std::size_t next = 0;
  };

  const MinedModule& module_;
  std::optional<ModuleSignature> signature_;  // Read at the first failure.
  std::size_t next_mined_ = 0;
  int repairs_left_;
  bool repairing_ = false;
  std::vector<Branch> branches_;
  std::set<std::string> tried_;
  std::set<std::string> faults_;
};

}  // namespace kernelmill
