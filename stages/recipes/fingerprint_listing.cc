#include "stages/recipes/fingerprint_listing.h"

#include <filesystem>

#include "corpora/benchmark_table.h"
#include "stages/admit/decontamination.h"
#include "stages/task_files/supplied_rows.h"

namespace kernelmill {

namespace fs = std::filesystem;

namespace {

// Of a problem that is given for many sets of inputs, the text and the graphs at the first ones are
// listed.
constexpr int kInputsOfAProblem = 4;

}  // namespace

Result<FingerprintListing> ListFingerprints(const std::string& tasks) {
  std::error_code error;
  const std::string checkout = tasks + "/KernelBench";
  KM_ASSIGN(const TaskSource source,
            ResolveTasks({.tasks = fs::is_directory(checkout, error) ? checkout : tasks}, tasks));
  KM_ASSIGN(TorchWorker worker, TorchWorker::Start());
  FingerprintListing listing;
  listing.table = kBenchmarkTableHead;
  std::string path;  // Of the problem that the rows are of.
  int rows = 0;
  KM_RETURN_IF_ERROR(ForEachRow(source, kLargestReference, [&](const SuppliedRow& row) -> Status {
    const bool another = row.origin.row > 1 && row.origin.path == path;
    if (!another || source.format != TaskFormat::kFolder) {
      ++listing.problems;
      rows = 0;
    }
    path = row.origin.path;
    if (!row.reason.empty() || rows == kInputsOfAProblem) return Status::Ok();
    KM_ASSIGN(const std::optional<GraphFingerprint> fingerprint,
              CaptureFingerprint(row.bytes, &worker));
    if (++rows > 1 && !fingerprint) return Status::Ok();
    listing.graphs += rows == 1 && fingerprint ? 1 : 0;
    std::string problem = row.name;
    if (source.format == TaskFormat::kFolder) {
      problem = fs::path(row.origin.path).replace_extension().string();
      if (row.origin.row > 0) problem += ":" + std::to_string(row.origin.row);
    }
    listing.table += BenchmarkLine(problem, fingerprint,
                                   rows == 1 ? CodeFingerprint(row.bytes) : TextFingerprint());
    return Status::Ok();
  }));
  return listing;
}

}  // namespace kernelmill
