#include <algorithm>

#include "manifests/json_fields.h"
#include "parsers/python_file.h"

namespace kernelmill {
namespace {

constexpr int kVersion = 1;
constexpr std::string_view kKinds[] = {"import",     "class",    "function",
                                       "assignment", "compound", "other"};

Json Encode(const PythonUse& use) {
  return Json::Object{
      {"chain", use.chain}, {"eager", use.eager}, {"at", kernelmill::ToJson(use.offsets)}};
}
Result<PythonUse> UseFromJson(const Json& json) {
  PythonUse use;
  JsonFields fields(json, "use");
  fields.Read("chain", &use.chain);
  fields.Read("eager", &use.eager);
  fields.Read("at", &use.offsets);
  KM_RETURN_IF_ERROR(fields.Finish());
  return use;
}

Json Encode(const PythonBinding& binding) {
  return Json::Object{{"name", binding.name}, {"at", kernelmill::ToJson(binding.offsets)}};
}
Result<PythonBinding> BindingFromJson(const Json& json) {
  PythonBinding binding;
  JsonFields fields(json, "binding");
  fields.Read("name", &binding.name);
  fields.Read("at", &binding.offsets);
  KM_RETURN_IF_ERROR(fields.Finish());
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
