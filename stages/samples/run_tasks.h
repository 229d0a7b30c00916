// The tasks of a run of the recipe "rft", which samples name, judges run and rows are about.
#pragma once

#include <map>

#include "corpora/records/record.h"
#include "stages/engine/run.h"
#include "stages/samples/sample_tasks.h"

namespace kernelmill {

// Tasks as "admit" put them out, or as "recall" did if they were not admitted.
struct RunTasks {
  SampleTasks names;
  std::map<Digest, Record> records;      // Tasks, by content_id.
  std::map<Digest, Record> annotations;  // By the content_id of the task; none if not admitted.

  // Of the outputs of the finished steps "recall" and "admit".
  static Result<RunTasks> Of(const Run& run);

  // The benchmark problem that a task is; "" if it is none.
  std::string ProtectedAs(const Digest& task) const;
};

}  // namespace kernelmill
