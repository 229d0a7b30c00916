#include "stages/pack/parquet_cells.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/type.h>

namespace kernelmill {
namespace {

using Type = ParquetField::Type;

arrow::FieldVector FieldsOf(const std::vector<ParquetField>& fields);

std::shared_ptr<arrow::DataType> TypeOf(const ParquetField& field) {
  switch (field.type) {
    case Type::kText:
      return arrow::utf8();
    case Type::kInteger:
      return arrow::int64();
    case Type::kNumber:
      return arrow::float64();
    case Type::kFlag:
      return arrow::boolean();
    case Type::kStruct:
      return arrow::struct_(FieldsOf(field.members));
    case Type::kList:
      // "element" is the Parquet format's name for the items of a list.
      return arrow::list(arrow::field("element", arrow::struct_(FieldsOf(field.members))));
  }
  return arrow::null();
}

arrow::FieldVector FieldsOf(const std::vector<ParquetField>& fields) {
  arrow::FieldVector columns;
  for (const ParquetField& field : fields) {
    columns.push_back(arrow::field(field.name, TypeOf(field)));
  }
  return columns;
}

arrow::Status AppendMembers(const std::vector<ParquetField>& members, const Json& value,
                            arrow::ArrayBuilder* column, std::size_t* bytes) {
  auto* const parts = static_cast<arrow::StructBuilder*>(column);
  ARROW_RETURN_NOT_OK(parts->Append());
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Json* const part = value.Find(members[i].name);
    if (part == nullptr) return arrow::Status::Invalid("there is no ", members[i].name);
    ARROW_RETURN_NOT_OK(
        AppendJson(members[i], *part, parts->field_builder(static_cast<int>(i)), bytes));
  }
  return arrow::Status::OK();
}

std::optional<Json> MembersAt(const std::vector<ParquetField>& members, const arrow::Array& column,
                              std::int64_t row) {
  if (column.IsNull(row)) return {};
  const auto& parts = static_cast<const arrow::StructArray&>(column);
  Json::Object object;
  for (std::size_t i = 0; i < members.size(); ++i) {
    std::optional<Json> part = JsonAt(members[i], *parts.field(static_cast<int>(i)), row);
    if (!part) return {};
    object[members[i].name] = *std::move(part);
  }
  return object;
}

}  // namespace

std::shared_ptr<arrow::Schema> SchemaOf(const std::vector<ParquetField>& fields) {
  return arrow::schema(FieldsOf(fields));
}

arrow::Status AppendJson(const ParquetField& field, const Json& value, arrow::ArrayBuilder* column,
                         std::size_t* bytes) {
  switch (field.type) {
    case Type::kText:
      *bytes += value.as_string().size();
      return static_cast<arrow::StringBuilder*>(column)->Append(value.as_string());
    case Type::kInteger:
      return static_cast<arrow::Int64Builder*>(column)->Append(value.as_int());
    case Type::kNumber:
      return static_cast<arrow::DoubleBuilder*>(column)->Append(value.as_double());
    case Type::kFlag:
      return static_cast<arrow::BooleanBuilder*>(column)->Append(value.as_bool());
    case Type::kStruct:
      return AppendMembers(field.members, value, column, bytes);
    case Type::kList: {
      auto* const list = static_cast<arrow::ListBuilder*>(column);
      ARROW_RETURN_NOT_OK(list->Append());
      for (const Json& item : value.as_array()) {
        ARROW_RETURN_NOT_OK(AppendMembers(field.members, item, list->value_builder(), bytes));
      }
      return arrow::Status::OK();
    }
  }
  return arrow::Status::OK();
}

std::optional<Json> JsonAt(const ParquetField& field, const arrow::Array& column,
                           std::int64_t row) {
  if (column.IsNull(row)) return {};
  switch (field.type) {
    case Type::kText:
      return std::string(static_cast<const arrow::StringArray&>(column).GetView(row));
    case Type::kInteger:
      return static_cast<const arrow::Int64Array&>(column).Value(row);
    case Type::kNumber:
      return static_cast<const arrow::DoubleArray&>(column).Value(row);
    case Type::kFlag:
      return static_cast<const arrow::BooleanArray&>(column).Value(row);
    case Type::kStruct:
      return MembersAt(field.members, column, row);
    case Type::kList: {
      const auto& list = static_cast<const arrow::ListArray&>(column);
      Json::Array items;
      for (std::int64_t i = list.value_offset(row); i < list.value_offset(row + 1); ++i) {
        std::optional<Json> item = MembersAt(field.members, *list.values(), i);
        if (!item) return {};
        items.push_back(*std::move(item));
      }
      return items;
    }
  }
  return {};
}

}  // namespace kernelmill
