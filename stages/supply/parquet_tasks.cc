#include "stages/supply/parquet_tasks.h"

#include <arrow/array.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <parquet/arrow/reader.h>
#include <parquet/file_reader.h>

#include <memory>

namespace kernelmill {
namespace {

// References are long: few rows at a time keep what is in memory small.
constexpr std::int64_t kRowsPerBatch = 64;

Status FromArrow(const arrow::Status& status) {
  return status.ok() ? Status::Ok() : Status(ErrorCode::kCorrupt, status.message());
}

// Parquet throws where Arrow returns.
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
std::string TextIn(const arrow::Array& array, std::int64_t row) {
  return std::string(static_cast<const Array&>(array).GetView(row));
}

std::optional<std::string> CellOf(const arrow::Array& array, std::int64_t row) {
  if (array.IsNull(row)) return {};
  switch (array.type_id()) {
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return TextIn<arrow::BinaryArray>(array, row);
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      return TextIn<arrow::LargeBinaryArray>(array, row);
    case arrow::Type::INT32:
      return std::to_string(static_cast<const arrow::Int32Array&>(array).Value(row));
    case arrow::Type::INT64:
      return std::to_string(static_cast<const arrow::Int64Array&>(array).Value(row));
    case arrow::Type::DICTIONARY: {
      const auto& encoded = static_cast<const arrow::DictionaryArray&>(array);
      const std::int64_t index = encoded.GetValueIndex(row);
      const auto& values = *encoded.dictionary();
      return index < 0 || index >= values.length() ? std::nullopt : CellOf(values, index);
    }
    default:
      return {};
  }
}

}  // namespace

Result<std::vector<std::string>> ParquetColumns(const std::string& path) {
  std::unique_ptr<parquet::arrow::FileReader> reader;
  KM_RETURN_IF_ERROR(Open(path, &reader));
  std::vector<std::string> names;
  KM_RETURN_IF_ERROR(Guarded([&] {
    const parquet::SchemaDescriptor* schema = reader->parquet_reader()->metadata()->schema();
    for (int i = 0; i < schema->num_columns(); ++i) {
      if (schema->Column(i)->path()->ToDotVector().size() == 1) {
        names.push_back(schema->Column(i)->name());
      }
    }
    return Status::Ok();
  }));
  return names;
}

Status ForEachParquetRow(const std::string& path, const std::vector<std::string>& columns,
                         const std::function<Status(const ParquetCells& cells)>& visit) {
  std::unique_ptr<parquet::arrow::FileReader> reader;
  KM_RETURN_IF_ERROR(Open(path, &reader));
  return Guarded([&]() -> Status {
    const auto metadata = reader->parquet_reader()->metadata();
    std::vector<int> leaves, groups;
    for (const std::string& column : columns) {
      const int leaf = column.empty() ? -1 : metadata->schema()->ColumnIndex(column);
      if (leaf >= 0) leaves.push_back(leaf);
    }
    for (int group = 0; group < metadata->num_row_groups(); ++group) groups.push_back(group);
    std::unique_ptr<arrow::RecordBatchReader> batches;
    KM_RETURN_IF_ERROR(FromArrow(reader->GetRecordBatchReader(groups, leaves).Value(&batches)));
    for (;;) {
      std::shared_ptr<arrow::RecordBatch> batch;
      KM_RETURN_IF_ERROR(FromArrow(batches->ReadNext(&batch)));
      if (batch == nullptr) return Status::Ok();
      KM_RETURN_IF_ERROR(FromArrow(batch->Validate()));
      for (std::int64_t row = 0; row < batch->num_rows(); ++row) {
        ParquetCells cells;
        for (const std::string& column : columns) {
          const auto array = column.empty() ? nullptr : batch->GetColumnByName(column);
          cells.push_back(array == nullptr ? std::nullopt : CellOf(*array, row));
        }
        KM_RETURN_IF_ERROR(visit(cells));
      }
    }
  });
}

}  // namespace kernelmill
