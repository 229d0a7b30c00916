// Compares tasks, and disguised copies of them, with the tables of benchmarks, for
// bench/decontamination.py:
//   decontamination_loops TASKS COUNT DISGUISE…
// TASKS is read as any source of tasks. Of its rows, about COUNT are taken at equal distances; 0 takes
// all. Prints a line of JSON for each row and disguise ("none" is the task itself).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "corpora/records/task.h"
#include "manifests/json.h"
#include "stages/admit/admission.h"
#include "stages/admit/decontamination.h"
#include "stages/task_files/supplied_rows.h"
#include "tests/stages/admit/disguised_task.h"

namespace kernelmill {
namespace {

Status CompareTasks(const std::string& path, std::size_t count,
                    const std::vector<std::string>& disguises) {
  KM_ASSIGN(const Config config, Config::Parse(DecontaminateKeys(), "{}", "defaults", {}));
  KM_ASSIGN(const Decontamination benchmarks, Decontamination::Of(config));
  KM_ASSIGN(const TaskSource source, ResolveTasks({.tasks = path}, "TASKS"));
  std::vector<SuppliedRow> rows;
  KM_RETURN_IF_ERROR(ForEachRow(source, kLargestReference, [&](SuppliedRow row) -> Status {
    if (row.reason.empty()) rows.push_back(std::move(row));
    return Status::Ok();
  }));
  KM_ASSIGN(TorchWorker worker, TorchWorker::Start());
  const std::size_t step = count == 0 ? 1 : std::max<std::size_t>(1, rows.size() / count);
  for (std::size_t i = 0; i < rows.size(); i += step) {
    for (const Disguise disguise : kDisguises) {
      const std::string name(DisguiseName(disguise));
      if (std::find(disguises.begin(), disguises.end(), name) == disguises.end()) continue;
      Task task;
      task.code = DisguisedTask::Write(rows[i].bytes, disguise);
      KM_ASSIGN(const TaskFingerprint fingerprints, FingerprintsOf(TaskRecord(task), &worker));
      const TaskOverlap overlap = Compare(fingerprints, benchmarks);
      const Json line = Json::Object{{"task", rows[i].origin.path + " " + rows[i].name},
                                     {"disguise", name},
                                     {"tier", overlap.tier},
                                     {"refused", benchmarks.Refuses(overlap.closest.tier)},
                                     {"graph", !fingerprints.graphs.empty()},
                                     {"overlap", overlap.Text()}};
      std::printf("%s\n", line.Dump().c_str());
      std::fflush(stdout);
    }
  }
  return Status::Ok();
}

}  // namespace
}  // namespace kernelmill

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: decontamination_loops TASKS COUNT DISGUISE…\n");
    return 2;
  }
  const kernelmill::Status status = kernelmill::CompareTasks(
      argv[1], std::strtoul(argv[2], nullptr, 10), std::vector<std::string>(argv + 3, argv + argc));
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}
