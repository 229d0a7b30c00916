// Owns the worker processes in which judges run references and candidates. Each is a Python process
// that has imported torch, which takes seconds and about 300 MB. The judges of one thread share
// them and the results of a reference, whatever backends and sanitizers the judges use.
//
// Not thread-safe. Pointers that are returned stay valid until End() or the destructor.
#pragma once

#include <list>
#include <optional>
#include <string>

#include "stages/verify/reference/reference_runs.h"
#include "stages/worker/torch_worker.h"

namespace kernelmill {

class JudgeWorkers {
 public:
  // Starts the worker for references and one for candidates at the same time, unless they run:
  // nearly all of a start is the import of torch.
  Status StartBoth(const WorkerOptions& for_candidates);
  // The worker that runs references, and that parses the texts of candidates without running them.
  // Every worker is started when it is first asked for.
  Result<TorchWorker*> ForReferences();
  // A worker that runs candidates, and never a reference. There is one for each set of options.
  Result<TorchWorker*> ForCandidates(const WorkerOptions& options);
  // The runs of a reference. They are kept until another reference is asked for.
  Result<ReferenceRuns*> Reference(const std::string& code, const ReferenceRuns::Options& options);

  // Ends all workers. After a failure a worker may still send the reply to an earlier request.
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
