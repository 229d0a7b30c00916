// A row as Parquet has it: strings, the messages as list<struct<role, content>>, token counts and
// weight as numbers, and whatever else Row::ToJson() says as one JSON object in the string column
// "metadata". So every file has the same schema, whatever a row may come to say.
#pragma once

#include <arrow/type_fwd.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/training_record.h"
#include "stages/pack/row.h"

namespace kernelmill {

inline constexpr std::array<std::string_view, 6> kParquetTextColumns = {
    "content_id", "split", "family", "backend", "prompt_template", "subject"};
// The columns after these.
inline constexpr int kParquetMessagesColumn = kParquetTextColumns.size();
inline constexpr int kParquetPromptTokensColumn = kParquetMessagesColumn + 1;
inline constexpr int kParquetAnswerTokensColumn = kParquetMessagesColumn + 2;
inline constexpr int kParquetWeightColumn = kParquetMessagesColumn + 3;
inline constexpr int kParquetMetadataColumn = kParquetMessagesColumn + 4;

std::shared_ptr<arrow::Schema> ParquetSchema();

// "data/train-00002-of-00017.parquet".
std::string ParquetPath(const std::string& split, std::size_t number, std::size_t of);

struct ParquetRow {
  std::array<std::string, kParquetTextColumns.size()> texts;
  std::vector<Message> messages;
  std::int64_t prompt_tokens = 0, answer_tokens = 0;
  double weight = 0;
  std::string metadata;

  static ParquetRow Of(const Row& row);
  friend bool operator==(const ParquetRow&, const ParquetRow&) = default;
};

}  // namespace kernelmill
