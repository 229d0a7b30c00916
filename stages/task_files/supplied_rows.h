// The rows of a file of tasks, and the files of a folder, one after the other.
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

// Bytes. A longer reference is no task where nothing else is configured.
constexpr std::int64_t kLargestReference = std::int64_t{1} << 20;

struct SuppliedRow {
  Origin origin;
  std::string name;  // As the row has it; else of the file, with the row.
  // As the row has it, all that it names joined by AND; else of the source; else empty. What is no
  // licence is an expression that no list meets.
  std::string licence;
  // Why it is no task (a name of manifests/reason.h); empty where nothing is known against it.
  std::string reason, detail;
  // The reference. Of a row that is refused, what lies there, as far as it is kept.
  std::string bytes;

  // The body of an input; `bytes` may be any.
  std::string Encode() const;
  static Result<SuppliedRow> Decode(std::string_view body);
};

// A source's rows in order; of a folder by path. What cannot be read is a row with a reason.
class SuppliedRows {
 public:
  virtual ~SuppliedRows() = default;
  // References over `largest` bytes are refused, and no more than that is kept of anything that is.
  // `source` has to stay.
  static Result<std::unique_ptr<SuppliedRows>> Open(const TaskSource& source, std::int64_t largest);

  // Nothing at the end.
  virtual Result<std::optional<SuppliedRow>> Next() = 0;
};

using VisitRow = std::function<Status(SuppliedRow row)>;

// Visits all of them.
Status ForEachRow(const TaskSource& source, std::int64_t largest, const VisitRow& visit);

// The names of all columns of a file of JSON lines that some line has, up to the first line that
// has one of `wanted`.
Result<std::vector<std::string>> JsonColumns(const std::string& path,
                                             const std::vector<std::string>& wanted);

// The .py files below a folder, '/'-separated relative paths in byte order. Folders whose names
// begin with a dot are passed over, links are not followed. kIo, naming it, where a folder cannot
// be read.
Result<std::vector<std::string>> TaskFilesIn(const std::string& folder);

}  // namespace kernelmill
