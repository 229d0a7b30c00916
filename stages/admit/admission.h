// Runs one task in the torch worker, decides whether it is admitted, and annotates it.
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
  // How many repaired argument sets are tried for a module after all mined ones have failed.
  int repairs = 12;
  // Tasks that call more operators get no symbolic shapes.
  std::int64_t symbolic_operators = 128;
  Decontamination benchmarks;
  Derivation mined;  // The derivation of mined modules, the first entry of their lineage.
};

Record TaskRecord(const Task& task);

class Admission {
 public:
  // `options` and `worker` must outlive the object.
  Admission(const AdmitOptions& options, TorchWorker& worker)
      : options_(options), worker_(worker) {}

  TorchWorker& worker() { return worker_; }

  struct Attempt {
    Task task;
    WorkerReply reply;
    Assessment assessment;
  };
  // Builds and runs the task. `patient`: a task that reaches a limit is tried once more with higher
  // limits.
  Result<Attempt> Try(Task task, bool patient);

  // Annotates the task of an admitted attempt. Sets `assessment` when the task must be rejected
  // after all.
  Result<Annotation> Annotate(const Attempt& attempt, Assessment* assessment);
  // Annotates `task`, the task of an admitted attempt at larger sizes, which are not computed here:
  // torch runs both without data, and the result for the smaller one must equal what was measured,
  // strides included.
  Result<Annotation> AnnotateAtSizes(const Task& task, const Attempt& attempt,
                                     Assessment* assessment);

 private:
  Json RequestOf(std::string_view kind, const Task& task, const WorkerLimits& limits) const;
  Result<Annotation> Annotate(const Task& task, const Json& reported, Assessment* assessment);
  // The annotation that the worker reports for a run without data.
  Result<Json> Outline(const Task& task, Assessment* assessment);
  // Adds symbolic shapes to the annotation.
  Status FollowSymbols(const Task& task, Annotation* facts, Assessment* assessment);

  const AdmitOptions& options_;
  TorchWorker& worker_;
};

}  // namespace kernelmill
