// Converts a row to Parquet columns, for the export "parquet" and its check (parquet_export.h): the
// columns of ParquetRowFields(), and all other fields of Row::ToJson() as one JSON object in the
// string column "metadata". So every file has the same schema, whatever fields rows may get.
#pragma once

#include <string>
#include <vector>

#include "corpora/dataset/row.h"
#include "stages/pack/parquet_field.h"

namespace kernelmill {

// The columns; each but "metadata" is a field of Row::ToJson(). To add a column, add an entry.
const std::vector<ParquetField>& ParquetRowFields();

// "data/train-00002-of-00017.parquet".
std::string ParquetPath(const std::string& split, std::size_t number, std::size_t of);

// The values of the columns. Numbers are doubles.
Json ParquetRowOf(const Row& row);

}  // namespace kernelmill
