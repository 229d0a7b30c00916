#include "stages/recipes/fingerprint_listing.h"

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "corpora/benchmark_table.h"
#include "stages/admit/decontamination.h"
#include "stages/task_files/supplied_rows.h"

namespace kernelmill {

namespace fs = std::filesystem;

namespace {

// Of a problem that is given for many sets of inputs, the graphs at the first ones are listed.
constexpr std::size_t kInputsOfAProblem = 256;

// The lines of one problem.
class Problem {
 public:
  void Add(std::string name, std::string code, const std::optional<GraphFingerprint>& graph) {
    ++sets_;
    if (sets_ == 1) {
      name_ = std::move(name);
      code_ = std::move(code);
      graph_ = graph;
    } else if (graph && graph != graph_ && known_.insert(graph->graph).second) {
      more_ += BenchmarkLine(name, graph, {});
    }
  }
  bool IsFull() const { return sets_ == kInputsOfAProblem; }
  bool HasGraph() const { return graph_.has_value(); }
  std::string Lines() const {
    if (sets_ == 0) return "";
    // Where the inputs vary, the module tells the problem.
    return BenchmarkLine(name_, graph_, CodeFingerprint(code_),
                         sets_ > 1 ? ModuleFingerprint(code_) : TextFingerprint()) +
           more_;
  }

 private:
  std::size_t sets_ = 0;
  std::string name_, code_;  // Of the first set.
  std::optional<GraphFingerprint> graph_;
  std::set<std::string> known_;
  std::string more_;
};

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
  Problem problem;
  const auto finish = [&] {
    listing.graphs += problem.HasGraph() ? 1 : 0;
    listing.table += std::exchange(problem, Problem()).Lines();
  };
  KM_RETURN_IF_ERROR(ForEachRow(source, kLargestReference, [&](const SuppliedRow& row) -> Status {
    const bool another = row.origin.row > 1 && row.origin.path == path;
    if (!another || source.format != TaskFormat::kFolder) {
      ++listing.problems;
      finish();
    }
    path = row.origin.path;
    if (!row.reason.empty() || problem.IsFull()) return Status::Ok();
    KM_ASSIGN(const std::optional<GraphFingerprint> fingerprint,
              CaptureFingerprint(row.bytes, &worker));
    std::string name = row.name;
    if (source.format == TaskFormat::kFolder) {
      name = fs::path(row.origin.path).replace_extension().string();
      if (row.origin.row > 0) name += ":" + std::to_string(row.origin.row);
    }
    problem.Add(std::move(name), row.bytes, fingerprint);
    return Status::Ok();
  }));
  finish();
  return listing;
}

}  // namespace kernelmill
