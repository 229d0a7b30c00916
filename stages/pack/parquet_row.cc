#include "stages/pack/parquet_row.h"

#include <arrow/type.h>

#include <algorithm>

#include "corpora/dataset/dataset_layout.h"

namespace kernelmill {
namespace {

std::string FiveDigits(std::size_t number) {
  const std::string digits = std::to_string(number);
  return std::string(5 - std::min<std::size_t>(5, digits.size()), '0') + digits;
}

std::shared_ptr<arrow::DataType> TypeOf(ParquetColumn::Type type) {
  switch (type) {
    case ParquetColumn::Type::kText:
      return arrow::utf8();
    case ParquetColumn::Type::kInteger:
      return arrow::int64();
    case ParquetColumn::Type::kNumber:
      return arrow::float64();
  }
  return arrow::null();
}

}  // namespace

std::shared_ptr<arrow::Schema> ParquetSchema() {
  arrow::FieldVector fields;
  for (const ParquetColumn& column : kParquetColumns) {
    fields.push_back(arrow::field(std::string(column.name), TypeOf(column.type)));
  }
  const auto message =
      arrow::struct_({arrow::field("role", arrow::utf8()), arrow::field("content", arrow::utf8())});
  // "element" is the Parquet format's name for the items of a list.
  fields.push_back(arrow::field("messages", arrow::list(arrow::field("element", message))));
  fields.push_back(arrow::field("metadata", arrow::utf8()));
  return arrow::schema(std::move(fields));
}

std::string ParquetPath(const std::string& split, std::size_t number, std::size_t of) {
  return std::string(kDataFolder) + "/" + split + "-" + FiveDigits(number) + "-of-" +
         FiveDigits(of) + ".parquet";
}

ParquetRow ParquetRow::Of(const Row& row) {
  ParquetRow columns;
  Json rest = row.ToJson();
  for (const ParquetColumn& column : kParquetColumns) {
    const auto member = rest.as_object().find(column.name);
    const bool number = column.type == ParquetColumn::Type::kNumber;
    columns.values.push_back(number ? Json(member->second.as_double()) : member->second);
    rest.as_object().erase(member);
  }
  rest.as_object().erase("messages");
  columns.messages = row.training.messages;
  columns.metadata = rest.Dump();
  return columns;
}

}  // namespace kernelmill
