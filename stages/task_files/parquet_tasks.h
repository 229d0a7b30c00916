// Reads a user's Parquet file of tasks, of any schema: its columns, which ResolveTasks()
// (task_source.h) searches for the references, and its rows as JSON objects, for SuppliedRows
// (supplied_rows.h).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "manifests/json.h"
#include "manifests/status.h"

namespace kernelmill {

enum class ParquetShape {
  kPlain,
  kList,   // A list of plain values.
  kOther,  // Structs, maps, lists of lists.
};

struct TaskColumn {
  std::string name;
  std::string type;  // Arrow's name of the type, for messages.
  ParquetShape shape = ParquetShape::kOther;
};

// kCorrupt if the file is not a Parquet file or is truncated.
Result<std::vector<TaskColumn>> TaskColumns(const std::string& path);

// Reads the rows in order. Each is an object of the plain columns and of the columns among `lists`
// that are lists. Strings keep the bytes of the file, whether they are UTF-8 or not; values without
// a JSON type become text.
class ParquetRows {
 public:
  ParquetRows(std::string path, std::vector<std::string> lists);
  ~ParquetRows();

  // The next row; nothing at the end. kCorrupt if the row cannot be read.
  Result<std::optional<Json>> Next();

 private:
  struct State;
  Status Start();
  Status ReadBatch();

  std::string path_;
  std::vector<std::string> lists_;
  std::unique_ptr<State> state_;  // Null until the first call of Next().
};

}  // namespace kernelmill
