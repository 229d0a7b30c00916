// One task in the worker: whether it is admitted, and what is written down about it.
#pragma once

#include "corpora/records/annotation.h"
#include "corpora/records/task.h"
#include "stages/admit/assessment.h"
#include "stages/admit/decontamination.h"
#include "stages/worker/torch_worker.h"

namespace kernelmill {

struct AdmitOptions {
  std::uint64_t seed = 0;  // Mixed with each task's content into the seed of its draws.
  WorkerLimits limits;
  // How many changed arguments are tried for one module after all that were mined have failed.
  int repairs = 12;
  // Tasks that call more operators keep their concrete shapes only.
  std::int64_t symbolic_operators = 128;
  Decontamination benchmarks;
  Derivation mined;  // How mined candidates were made: the first entry of their lineage.
};

Record TaskRecord(const Task& task);

class Admission {
 public:
  // Both outlive it.
  Admission(const AdmitOptions& options, TorchWorker& worker)
      : options_(options), worker_(worker) {}

  TorchWorker& worker() { return worker_; }

  struct Trial {
    Task task;
    WorkerReply reply;
    Assessment assessment;
  };
  // Builds and runs it. `patient`: where a limit stops it, it is tried again, alone, with a higher
  // one.
  Result<Trial> Try(Task task, bool patient);

  // The facts about the task of an admitted trial. A reason to reject it goes to `rejected`.
  Result<Annotation> Annotate(const Trial& trial, Assessment* rejected);
  // The facts about `task`, which is the task of an admitted trial at sizes that are not computed
  // here: torch follows both without data, and what it says of the smaller one must be what was
  // measured, to the last stride.
  Result<Annotation> AnnotateAtSizes(const Task& task, const Trial& trial, Assessment* rejected);

 private:
  Json RequestOf(std::string_view kind, const Task& task, const WorkerLimits& limits) const;
  Result<Annotation> Annotate(const Task& task, const Json& reported, Assessment* rejected);
  // The annotation as the worker reports it.
  Result<Json> Outline(const Task& task, Assessment* rejected);
  // The annotation's shapes in symbols.
  Status FollowSymbols(const Task& task, Annotation* facts, Assessment* rejected);

  const AdmitOptions& options_;
  TorchWorker& worker_;
};

}  // namespace kernelmill
