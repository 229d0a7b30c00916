// The processes that judges run references and candidates in. Each is a Python that has imported
// torch, which takes seconds and some 300 MB: judges of one thread can share them, and what they
// have worked out for a reference, whatever their backends and checks.
#pragma once

#include <list>
#include <optional>
#include <string>

#include "stages/verify/reference/reference_runs.h"
#include "stages/worker/torch_worker.h"

namespace kernelmill {

class JudgeWorkers {
 public:
  // Reads texts and runs references; started when it is first asked for, like all of them.
  Result<TorchWorker*> ForReferences();
  // Runs candidates, never a reference.
  Result<TorchWorker*> ForCandidates(const WorkerOptions& options);
  // Kept until another one is asked for.
  Result<ReferenceRuns*> Reference(const std::string& code, const ReferenceRuns::Options& options);

  // Ends them all: a worker that has failed may still send what nobody waits for any more.
  void End();

 private:
  struct CandidateWorker {
    WorkerOptions options;
    TorchWorker worker;
  };

  std::optional<TorchWorker> for_references_;
  std::list<CandidateWorker> for_candidates_;
  std::string code_;
  ReferenceRuns::Options options_;
  std::optional<ReferenceRuns> reference_;
};

}  // namespace kernelmill
