// Text columns of a Parquet file of any schema.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "manifests/status.h"

namespace kernelmill {

// The names of the columns that are no lists, maps or structs. kCorrupt when the file is no Parquet
// file, or not a whole one.
Result<std::vector<std::string>> ParquetColumns(const std::string& path);

// A row's value in each of the columns asked for: nothing where the row has none, the column is not
// there, or it holds neither text nor integers.
using ParquetCells = std::vector<std::optional<std::string>>;

// Visits the rows in order. kCorrupt where one cannot be read; those before it were visited.
Status ForEachParquetRow(const std::string& path, const std::vector<std::string>& columns,
                         const std::function<Status(const ParquetCells& cells)>& visit);

}  // namespace kernelmill
