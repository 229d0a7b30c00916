// Converts a row to Parquet columns, for the export "parquet" and its check (parquet_export.h): the
// columns of kParquetColumns, the messages as list<struct<role, content>>, and all other fields of
// Row::ToJson() as one JSON object in the string column "metadata". So every file has the same
// schema, whatever fields rows may get.
#pragma once

#include <arrow/type_fwd.h>

#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/dataset/row.h"
#include "corpora/records/training_record.h"

namespace kernelmill {

struct ParquetColumn {
  enum class Type { kText, kInteger, kNumber };
  std::string_view name;  // The field's name in Row::ToJson().
  Type type = Type::kText;
};
// To add a column, add an entry here.
inline constexpr ParquetColumn kParquetColumns[] = {
    {"content_id"},
    {"split"},
    {"family"},
    {"backend"},
    {"prompt_template"},
    {"task_id"},
    {"candidate"},
    {"reasoning"},
    {"perf_evidence"},
    {"estimated_speed", ParquetColumn::Type::kNumber},
    {"trajectory_id"},
    {"turn", ParquetColumn::Type::kInteger},
    {"n_turns", ParquetColumn::Type::kInteger},
    {"curriculum_stage", ParquetColumn::Type::kInteger},
    {"difficulty_static", ParquetColumn::Type::kNumber},
    {"prompt_tokens", ParquetColumn::Type::kInteger},
    {"answer_tokens", ParquetColumn::Type::kInteger},
    {"weight", ParquetColumn::Type::kNumber},
};
// The numbers of the columns that follow.
inline constexpr int kParquetMessagesColumn = std::size(kParquetColumns);
inline constexpr int kParquetMetadataColumn = kParquetMessagesColumn + 1;

std::shared_ptr<arrow::Schema> ParquetSchema();

// "data/train-00002-of-00017.parquet".
std::string ParquetPath(const std::string& split, std::size_t number, std::size_t of);

struct ParquetRow {
  std::vector<Json> values;  // The values of kParquetColumns: strings, integers and doubles.
  std::vector<Message> messages;
  std::string metadata;

  static ParquetRow Of(const Row& row);
  friend bool operator==(const ParquetRow&, const ParquetRow&) = default;
};

}  // namespace kernelmill
