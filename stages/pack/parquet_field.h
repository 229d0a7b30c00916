// The columns of Parquet files that hold JSON objects, one object a row: those of the export
// "parquet" and of the formats for trainers that read Parquet. It needs no header of Arrow, so that
// every format can describe its columns.
#pragma once

#include <string>
#include <vector>

namespace kernelmill {

struct ParquetField {
  // kList is a list of structs.
  enum class Type { kText, kInteger, kNumber, kFlag, kStruct, kList };
  std::string name;
  Type type = Type::kText;
  std::vector<ParquetField> members = {};  // Of a struct, or of the structs in a list.
};

// A column of chat messages: list<struct<role, content>>.
inline ParquetField MessagesField(std::string name) {
  return {std::move(name), ParquetField::Type::kList, {{"role"}, {"content"}}};
}

}  // namespace kernelmill
