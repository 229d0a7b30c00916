// The plain columns of a Parquet file of any schema.
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
  kList,   // Of plain values.
  kOther,  // Structs, maps, lists of lists.
};

struct TaskColumn {
  std::string name;
  std::string type;  // In Arrow's words, for people.
  ParquetShape shape = ParquetShape::kOther;
};

// kCorrupt when the file is no Parquet file, or not a whole one.
Result<std::vector<TaskColumn>> TaskColumns(const std::string& path);

// The rows in order, each an object of its plain columns and of those of `lists` that are lists.
// Strings are as the file has them, UTF-8 or not; what JSON has no type for is text.
class ParquetRows {
 public:
  ParquetRows(std::string path, std::vector<std::string> lists);
  ~ParquetRows();

  // Nothing at the end. kCorrupt where a row cannot be read.
  Result<std::optional<Json>> Next();

 private:
  struct State;
  Status Start();
  Status ReadBatch();

  std::string path_;
  std::vector<std::string> lists_;
  std::unique_ptr<State> state_;  // Once the file is open.
};

}  // namespace kernelmill
