#include "stages/recipes/fingerprint_listing.h"

#include <filesystem>

#include "corpora/benchmark_table.h"
#include "stages/admit/decontamination.h"
#include "stages/task_files/supplied_rows.h"

namespace kernelmill {

namespace fs = std::filesystem;

Result<FingerprintListing> ListFingerprints(const std::string& tasks) {
  std::error_code error;
  const std::string checkout = tasks + "/KernelBench";
  KM_ASSIGN(const TaskSource source,
            ResolveTasks({.tasks = fs::is_directory(checkout, error) ? checkout : tasks}, tasks));
  KM_ASSIGN(TorchWorker worker, TorchWorker::Start());
  FingerprintListing listing;
  listing.table = kBenchmarkTableHead;
  KM_RETURN_IF_ERROR(ForEachRow(source, kLargestReference, [&](const SuppliedRow& row) -> Status {
    ++listing.problems;
    if (!row.reason.empty()) return Status::Ok();
    KM_ASSIGN(const std::optional<GraphFingerprint> fingerprint,
              CaptureFingerprint(row.bytes, &worker));
    if (!fingerprint) return Status::Ok();
    ++listing.written;
    const std::string problem = source.format == TaskFormat::kFolder
                                    ? fs::path(row.origin.path).replace_extension().string()
                                    : row.name;
    listing.table += BenchmarkLine(problem, *fingerprint);
    return Status::Ok();
  }));
  return listing;
}

}  // namespace kernelmill
