// Reads the tasks that a user supplies, one after the other: the rows of a JSON-lines or Parquet
// file, or the Python files of a folder, one task each, or one for each set of inputs of a problem
// (workload_tasks.h). The step "supply" takes its inputs from it,
// and `answer`, dry runs and benchmark tables (fingerprints) read tasks with it too.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/origin.h"
#include "manifests/status.h"
#include "stages/task_files/task_source.h"

namespace kernelmill {

// The default limit on the size of a reference, in bytes.
constexpr std::int64_t kLargestReference = std::int64_t{1} << 20;

struct SuppliedRow {
  Origin origin;
  std::string name;  // From the row; otherwise the file's name with the row's number.
  // An SPDX expression: the licences that the row names, joined by AND; otherwise that of the
  // source; otherwise empty. A malformed licence becomes an expression that no list of licences
  // satisfies.
  std::string licence;
  // Why the row is rejected (a name from manifests/reason.h); empty if nothing is wrong with it so
  // far.
  std::string reason, detail;
  // The reference. For a rejected row, the beginning of the original bytes.
  std::string bytes;

  // The row as the body of a step's input. `bytes` may hold any bytes.
  std::string Encode() const;
  static Result<SuppliedRow> Decode(std::string_view body);
};

// Reads the rows of a source in order (the files of a folder by path). A malformed row is returned
// with a reason.
class SuppliedRows {
 public:
  virtual ~SuppliedRows() = default;
  // Rejects references of more than `largest` bytes, and keeps at most `largest` bytes of any
  // rejected row. `source` must outlive the reader.
  static Result<std::unique_ptr<SuppliedRows>> Open(const TaskSource& source, std::int64_t largest);

  // The next row; nothing at the end.
  virtual Result<std::optional<SuppliedRow>> Next() = 0;
};

using VisitRow = std::function<Status(SuppliedRow row)>;

// Visits all rows of a source.
Status ForEachRow(const TaskSource& source, std::int64_t largest, const VisitRow& visit);

// The column names that occur in a file of JSON lines, up to and including the first line that has
// one of `wanted`.
Result<std::vector<std::string>> JsonColumns(const std::string& path,
                                             const std::vector<std::string>& wanted);

// The .py files below a folder, as relative paths with '/' in byte order; if there are any files
// definition.json (workload_tasks.h), only those. Folders whose names begin with a dot are skipped, and
// links are not followed. kIo names a folder that cannot be read.
Result<std::vector<std::string>> TaskFilesIn(const std::string& folder);

}  // namespace kernelmill
