#include <algorithm>

#include "manifests/json_fields.h"
#include "parsers/python_file.h"

namespace kernelmill {
namespace {

constexpr int kVersion = 2;
constexpr std::string_view kKinds[] = {"import",     "class",    "function",
                                       "assignment", "compound", "other"};

// Uses and bindings are encoded as arrays, because they are most of a file's values and arrays take
// half the time of objects. A use is [chain, eager, offset…], a binding [name, offset…].
Result<std::vector<std::int64_t>> OffsetsFrom(const Json::Array& array, std::size_t first) {
  std::vector<std::int64_t> offsets;
  offsets.reserve(array.size() - first);
  for (std::size_t i = first; i < array.size(); ++i) {
    if (!array[i].is_int()) return Status(ErrorCode::kCorrupt, "offsets must be integers");
    offsets.push_back(array[i].as_int());
  }
  return offsets;
}

Json Encode(const PythonUse& use) {
  Json::Array array = {use.chain, use.eager};
  array.insert(array.end(), use.offsets.begin(), use.offsets.end());
  return array;
}
Result<PythonUse> UseFromJson(const Json& json) {
  if (!json.is_array() || json.as_array().size() < 2 || !json.as_array()[0].is_string() ||
      !json.as_array()[1].is_bool()) {
    return Status(ErrorCode::kCorrupt, "a use is [chain, eager, offset…]");
  }
  const Json::Array& array = json.as_array();
  PythonUse use;
  use.chain = array[0].as_string();
  use.eager = array[1].as_bool();
  KM_ASSIGN(use.offsets, OffsetsFrom(array, 2));
  return use;
}

Json Encode(const PythonBinding& binding) {
  Json::Array array = {binding.name};
  array.insert(array.end(), binding.offsets.begin(), binding.offsets.end());
  return array;
}
Result<PythonBinding> BindingFromJson(const Json& json) {
  if (!json.is_array() || json.as_array().empty() || !json.as_array()[0].is_string()) {
    return Status(ErrorCode::kCorrupt, "a binding is [name, offset…]");
  }
  const Json::Array& array = json.as_array();
  PythonBinding binding;
  binding.name = array[0].as_string();
  KM_ASSIGN(binding.offsets, OffsetsFrom(array, 1));
  return binding;
}

Json Encode(const PythonImport& import) {
  return Json::Object{{"module", import.module}, {"level", import.level}, {"name", import.name},
                      {"alias", import.alias},   {"first", import.first}, {"last", import.last}};
}
Result<PythonImport> ImportFromJson(const Json& json) {
  PythonImport import;
  JsonFields fields(json, "import");
  fields.Read("module", &import.module);
  fields.Read("level", &import.level);
  fields.Read("name", &import.name);
  fields.Read("alias", &import.alias);
  fields.Read("first", &import.first);
  fields.Read("last", &import.last);
  KM_RETURN_IF_ERROR(fields.Finish());
  return import;
}

template <typename T>
Json::Array ToArray(const std::vector<T>& items, Json (*encode)(const T&)) {
  Json::Array array;
  for (const T& item : items) array.push_back(encode(item));
  return array;
}

Json Encode(const PythonStatement& statement) {
  return Json::Object{
      {"kind", kKinds[static_cast<int>(statement.kind)]},
      {"span", kernelmill::ToJson(std::vector<std::int64_t>{
                   statement.first, statement.last, statement.first_line, statement.last_line})},
      {"error", statement.has_error},
      {"binds", ToArray<PythonBinding>(statement.bindings, Encode)},
      {"uses", ToArray<PythonUse>(statement.uses, Encode)},
      {"imports", ToArray<PythonImport>(statement.imports, Encode)},
      {"attributes", kernelmill::ToJson(statement.attributes)},
      {"bases", kernelmill::ToJson(statement.bases)},
      {"methods", kernelmill::ToJson(statement.methods)}};
}
Result<PythonStatement> StatementFromJson(const Json& json) {
  PythonStatement statement;
  std::string kind;
  std::vector<std::int64_t> span;
  JsonFields fields(json, "statement");
  fields.Read("kind", &kind);
  fields.Read("span", &span);
  fields.Read("error", &statement.has_error);
  fields.ReadArray("binds", &statement.bindings, BindingFromJson);
  fields.ReadArray("uses", &statement.uses, UseFromJson);
  fields.ReadArray("imports", &statement.imports, ImportFromJson);
  fields.Read("attributes", &statement.attributes);
  fields.Read("bases", &statement.bases);
  fields.Read("methods", &statement.methods);
  KM_RETURN_IF_ERROR(fields.Finish());
  const auto* const found = std::find(std::begin(kKinds), std::end(kKinds), kind);
  if (found == std::end(kKinds) || span.size() != 4) {
    return Status(ErrorCode::kCorrupt, "statement: unknown kind or span");
  }
  statement.kind = static_cast<PythonStatementKind>(found - std::begin(kKinds));
  statement.first = span[0];
  statement.last = span[1];
  statement.first_line = span[2];
  statement.last_line = span[3];
  return statement;
}

Json Encode(const PythonArgument& argument) {
  return Json::Object{{"name", argument.name}, {"expression", argument.expression}};
}
Result<PythonArgument> ArgumentFromJson(const Json& json) {
  PythonArgument argument;
  JsonFields fields(json, "argument");
  fields.Read("name", &argument.name);
  fields.Read("expression", &argument.expression);
  KM_RETURN_IF_ERROR(fields.Finish());
  return argument;
}

Json Encode(const PythonCall& call) {
  return Json::Object{{"callee", call.callee},
                      {"arguments", ToArray<PythonArgument>(call.arguments, Encode)}};
}
Result<PythonCall> CallFromJson(const Json& json) {
  PythonCall call;
  JsonFields fields(json, "call");
  fields.Read("callee", &call.callee);
  fields.ReadArray("arguments", &call.arguments, ArgumentFromJson);
  KM_RETURN_IF_ERROR(fields.Finish());
  return call;
}

}  // namespace

Json PythonFile::ToJson() const {
  return Json::Object{{"v", kVersion},
                      {"source", source},
                      {"statements", ToArray<PythonStatement>(statements, Encode)},
                      {"calls", ToArray<PythonCall>(calls, Encode)}};
}

Result<PythonFile> PythonFile::FromJson(const Json& json) {
  PythonFile file;
  JsonFields fields(json, "Python file");
  fields.Version(kVersion);
  fields.Read("source", &file.source);
  fields.ReadArray("statements", &file.statements, StatementFromJson);
  fields.ReadArray("calls", &file.calls, CallFromJson);
  KM_RETURN_IF_ERROR(fields.Finish());
  const auto size = static_cast<std::int64_t>(file.source.size());
  for (const PythonStatement& statement : file.statements) {
    if (statement.first < 0 || statement.first > statement.last || statement.last > size) {
      return Status(ErrorCode::kCorrupt, "Python file: a span lies outside of the source");
    }
  }
  return file;
}

}  // namespace kernelmill
