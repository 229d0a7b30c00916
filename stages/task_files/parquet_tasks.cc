#include "stages/task_files/parquet_tasks.h"

#include <arrow/array.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace kernelmill {
namespace {

// References are long, so few rows are held in memory at a time.
constexpr std::int64_t kRowsPerBatch = 64;

Status FromArrow(const arrow::Status& status) {
  return status.ok() ? Status::Ok() : Status(ErrorCode::kCorrupt, status.message());
}

// Parquet throws exceptions where Arrow returns a Status.
template <typename Work>
Status Guarded(const Work& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    return Status(ErrorCode::kCorrupt, error.what());
  }
}

Status Open(const std::string& path, std::unique_ptr<parquet::arrow::FileReader>* reader) {
  return Guarded([&]() -> Status {
    arrow::MemoryPool* pool = arrow::system_memory_pool();
    parquet::ReaderProperties properties(pool);
    properties.set_page_checksum_verification(true);
    parquet::ArrowReaderProperties arrow_properties;
    arrow_properties.set_batch_size(kRowsPerBatch);
    parquet::arrow::FileReaderBuilder builder;
    KM_RETURN_IF_ERROR(
        FromArrow(builder.OpenFile(path, /*memory_map=*/false, std::move(properties))));
    builder.memory_pool(pool);
    builder.properties(arrow_properties);
    return FromArrow(builder.Build().Value(reader));
  });
}

template <typename Array>
Json TextIn(const arrow::Array& array, std::int64_t row) {
  return std::string(static_cast<const Array&>(array).GetView(row));
}

Json NumberIn(double value) {
  return std::isfinite(value) ? Json(value) : Json(std::to_string(value));
}

Json PlainCell(const arrow::Array& array, std::int64_t row) {
  if (array.IsNull(row)) return nullptr;
  switch (array.type_id()) {
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return TextIn<arrow::BinaryArray>(array, row);
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      return TextIn<arrow::LargeBinaryArray>(array, row);
    case arrow::Type::BOOL:
      return static_cast<const arrow::BooleanArray&>(array).Value(row);
    case arrow::Type::INT32:
      return std::int64_t{static_cast<const arrow::Int32Array&>(array).Value(row)};
    case arrow::Type::INT64:
      return std::int64_t{static_cast<const arrow::Int64Array&>(array).Value(row)};
    case arrow::Type::FLOAT:
      return NumberIn(static_cast<const arrow::FloatArray&>(array).Value(row));
    case arrow::Type::DOUBLE:
      return NumberIn(static_cast<const arrow::DoubleArray&>(array).Value(row));
    case arrow::Type::DICTIONARY: {
      const auto& encoded = static_cast<const arrow::DictionaryArray&>(array);
      const std::int64_t index = encoded.GetValueIndex(row);
      const auto& values = *encoded.dictionary();
      return index < 0 || index >= values.length() ? Json() : PlainCell(values, index);
    }
    default: {
      const auto scalar = array.GetScalar(row);
      return scalar.ok() ? Json((*scalar)->ToString()) : Json();
    }
  }
}

template <typename Array>
Json ListIn(const arrow::Array& array, std::int64_t row) {
  const auto& lists = static_cast<const Array&>(array);
  Json::Array cells;
  for (std::int64_t i = lists.value_offset(row); i < lists.value_offset(row + 1); ++i) {
    cells.push_back(PlainCell(*lists.values(), i));
  }
  return cells;
}

Json CellOf(const arrow::Array& array, std::int64_t row) {
  if (array.IsNull(row)) return nullptr;
  if (array.type_id() == arrow::Type::LIST) return ListIn<arrow::ListArray>(array, row);
  if (array.type_id() == arrow::Type::LARGE_LIST) return ListIn<arrow::LargeListArray>(array, row);
  return PlainCell(array, row);
}

ParquetShape ShapeOf(const parquet::arrow::SchemaField& column) {
  if (column.is_leaf()) return ParquetShape::kPlain;
  const arrow::Type::type type = column.field->type()->id();
  const bool list = type == arrow::Type::LIST || type == arrow::Type::LARGE_LIST;
  return list && column.children.size() == 1 && column.children[0].is_leaf() ? ParquetShape::kList
                                                                             : ParquetShape::kOther;
}

}  // namespace

Result<std::vector<TaskColumn>> TaskColumns(const std::string& path) {
  std::unique_ptr<parquet::arrow::FileReader> reader;
  KM_RETURN_IF_ERROR(Open(path, &reader));
  std::vector<TaskColumn> columns;
  KM_RETURN_IF_ERROR(Guarded([&] {
    for (const parquet::arrow::SchemaField& column : reader->manifest().schema_fields) {
      columns.push_back({column.field->name(), column.field->type()->ToString(), ShapeOf(column)});
    }
    return Status::Ok();
  }));
  return columns;
}

struct ParquetRows::State {
  std::unique_ptr<parquet::arrow::FileReader> reader;
  std::unique_ptr<arrow::RecordBatchReader> batches;
  std::shared_ptr<arrow::RecordBatch> batch;  // Null before the first batch and after the last.
  std::int64_t row = 0;                       // The next row of the batch.
};

ParquetRows::ParquetRows(std::string path, std::vector<std::string> lists)
    : path_(std::move(path)), lists_(std::move(lists)) {}
ParquetRows::~ParquetRows() = default;

Status ParquetRows::Start() {
  state_ = std::make_unique<State>();
  KM_RETURN_IF_ERROR(Open(path_, &state_->reader));
  return Guarded([&]() -> Status {
    std::vector<int> leaves, groups;
    for (const parquet::arrow::SchemaField& column : state_->reader->manifest().schema_fields) {
      const ParquetShape shape = ShapeOf(column);
      if (shape == ParquetShape::kPlain) {
        leaves.push_back(column.column_index);
      } else if (shape == ParquetShape::kList &&
                 std::find(lists_.begin(), lists_.end(), column.field->name()) != lists_.end()) {
        leaves.push_back(column.children[0].column_index);
      }
    }
    for (int group = 0; group < state_->reader->num_row_groups(); ++group) groups.push_back(group);
    KM_RETURN_IF_ERROR(FromArrow(
        state_->reader->GetRecordBatchReader(groups, leaves).Value(&state_->batches)));
    return ReadBatch();
  });
}

Status ParquetRows::ReadBatch() {
  state_->row = 0;
  KM_RETURN_IF_ERROR(FromArrow(state_->batches->ReadNext(&state_->batch)));
  return state_->batch == nullptr ? Status::Ok() : FromArrow(state_->batch->Validate());
}

Result<std::optional<Json>> ParquetRows::Next() {
  if (!state_) KM_RETURN_IF_ERROR(Start());
  std::optional<Json> next;
  KM_RETURN_IF_ERROR(Guarded([&]() -> Status {
    while (state_->batch != nullptr && state_->row == state_->batch->num_rows()) {
      KM_RETURN_IF_ERROR(ReadBatch());
    }
    if (state_->batch == nullptr) return Status::Ok();
    Json::Object cells;
    for (int i = 0; i < state_->batch->num_columns(); ++i) {
      cells.emplace(state_->batch->column_name(i), CellOf(*state_->batch->column(i), state_->row));
    }
    next = std::move(cells);
    ++state_->row;
    return Status::Ok();
  }));
  return next;
}

}  // namespace kernelmill
