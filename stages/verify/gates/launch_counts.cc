#include "stages/verify/gates/launch_counts.h"

#include <utility>

namespace kernelmill {

Status CountLaunches(Examination& examination) {
  const std::optional<InstrumentedBuild>& counting = examination.options().counting;
  if (!counting) return Status::Ok();
  KM_ASSIGN(TorchWorker* const worker, examination.CandidateWorker(counting->environment));
  if (!examination.libraries().built_any()) return Status::Ok();
  KM_ASSIGN(std::optional<CandidateRequest> request, examination.RequestWith(*counting));
  std::string why = "it does not compile with counters";
  if (request) {
    KM_ASSIGN(const CandidateRun run, examination.Run(worker, *std::move(request), {AskedTrial{}},
                                                      examination.reference_runs->base()));
    if (!run.fault && !run.trials.empty()) {
      examination.TakeLaunches(run);
      return Status::Ok();
    }
    why = "its run with counters ended early";
    if (run.fault) why += ": " + run.fault->reason;
  }
  examination.verdict().findings.push_back({"not_counted", "", 0, why});
  return Status::Ok();
}

}  // namespace kernelmill
