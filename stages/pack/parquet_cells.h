// Converts JSON values to the cells of Parquet columns and back: ParquetFile (parquet_file.h)
// writes rows with it, and the check of the export "parquet" reads them.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "manifests/json.h"
#include "stages/pack/parquet_field.h"

namespace kernelmill {

std::shared_ptr<arrow::Schema> SchemaOf(const std::vector<ParquetField>& fields);

// Appends a value of the field's type to the builder of its column. An object must have every
// member; others are ignored. Adds the bytes of texts to `bytes`.
arrow::Status AppendJson(const ParquetField& field, const Json& value, arrow::ArrayBuilder* column,
                         std::size_t* bytes);
// The value in row `row` of a column; nothing if it, or a part of it, is null.
std::optional<Json> JsonAt(const ParquetField& field, const arrow::Array& column, std::int64_t row);

}  // namespace kernelmill
