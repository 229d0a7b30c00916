#include "stages/verify/gates/launch_counts.h"

#include <utility>

namespace kernelmill {

Status CountLaunches(Examination& candidate) {
  const std::optional<InstrumentedBuild>& counting = candidate.options().counting;
  if (!counting) return Status::Ok();
  KM_ASSIGN(TorchWorker* const worker, candidate.CandidateWorker(counting->environment));
  if (!candidate.libraries().built_any()) return Status::Ok();
  KM_ASSIGN(std::optional<CandidateRequest> request, candidate.RequestWith(*counting));
  std::string why = "it does not compile with counters";
  if (request) {
    KM_ASSIGN(const CandidateRun run, candidate.Run(worker, *std::move(request), {AskedTrial{}},
                                                    candidate.reference->base()));
    if (!run.fault && !run.trials.empty()) {
      candidate.TakeLaunches(run);
      return Status::Ok();
    }
    why = "its run with counters ended early";
    if (run.fault) why += ": " + run.fault->reason;
  }
  candidate.verdict().findings.push_back({"not_counted", "", 0, why});
  return Status::Ok();
}

}  // namespace kernelmill
