#include "stages/pack/parquet_row.h"

#include <arrow/type.h>

#include <algorithm>

#include "stages/pack/dataset_layout.h"

namespace kernelmill {
namespace {

std::string FiveDigits(std::size_t number) {
  const std::string digits = std::to_string(number);
  return std::string(5 - std::min<std::size_t>(5, digits.size()), '0') + digits;
}

}  // namespace

std::shared_ptr<arrow::Schema> ParquetSchema() {
  arrow::FieldVector fields;
  for (std::string_view name : kParquetTextColumns) {
    fields.push_back(arrow::field(std::string(name), arrow::utf8()));
  }
  const auto message =
      arrow::struct_({arrow::field("role", arrow::utf8()), arrow::field("content", arrow::utf8())});
  // "element" is what the Parquet format calls the items of a list.
  fields.push_back(arrow::field("messages", arrow::list(arrow::field("element", message))));
  fields.push_back(arrow::field("prompt_tokens", arrow::int64()));
  fields.push_back(arrow::field("answer_tokens", arrow::int64()));
  fields.push_back(arrow::field("weight", arrow::float64()));
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
  for (std::size_t i = 0; i < kParquetTextColumns.size(); ++i) {
    const auto member = rest.as_object().find(kParquetTextColumns[i]);
    columns.texts[i] = member->second.as_string();
    rest.as_object().erase(member);
  }
  for (const char* name : {"messages", "prompt_tokens", "answer_tokens", "weight"}) {
    rest.as_object().erase(name);
  }
  columns.messages = row.training.messages;
  columns.prompt_tokens = row.attributes.prompt_tokens;
  columns.answer_tokens = row.attributes.answer_tokens;
  columns.weight = row.attributes.weight;
  columns.metadata = rest.Dump();
  return columns;
}

}  // namespace kernelmill
