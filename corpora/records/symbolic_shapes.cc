#include "corpora/records/symbolic_shapes.h"

#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr const char* kStates[] = {"followed", "not_tried", "not_followed", "other_path"};

Json ShapesToJson(const std::vector<SymbolicShape>& shapes) {
  Json::Array array;
  for (const SymbolicShape& shape : shapes) array.push_back(ToJson(shape));
  return array;
}

Result<SymbolicShape> ShapeFromJson(const Json& json) {
  SymbolicShape shape;
  const Json named = Json::Object{{"shape", json}};
  JsonFields fields(named, "symbolic shape");
  fields.Read("shape", &shape);
  KM_RETURN_IF_ERROR(fields.Finish());
  return shape;
}

Result<std::vector<SymbolicShape>> ShapesFromJson(const Json& json) {
  std::vector<SymbolicShape> shapes;
  const Json named = Json::Object{{"outputs", json}};
  JsonFields fields(named, "symbolic operator");
  fields.ReadArray("outputs", &shapes, ShapeFromJson);
  KM_RETURN_IF_ERROR(fields.Finish());
  return shapes;
}

Result<SizeSymbol> SymbolFromJson(const Json& json) {
  SizeSymbol symbol;
  JsonFields fields(json, "symbol");
  fields.Read("name", &symbol.name);
  fields.Read("value", &symbol.value);
  KM_RETURN_IF_ERROR(fields.Finish());
  return symbol;
}

}  // namespace

SymbolValues SymbolicShapes::Values() const {
  SymbolValues known;
  for (const SizeSymbol& symbol : symbols) known[symbol.name] = symbol.value;
  return known;
}

Json SymbolicShapes::ToJson() const {
  if (!followed()) return Json::Object{{"state", state}};
  Json::Array named, calls;
  for (const SizeSymbol& symbol : symbols) {
    named.push_back(Json::Object{{"name", symbol.name}, {"value", symbol.value}});
  }
  for (const auto& call : operators) calls.push_back(ShapesToJson(call));
  return Json::Object{{"state", state},
                      {"symbols", std::move(named)},
                      {"inputs", ShapesToJson(inputs)},
                      {"constraints", kernelmill::ToJson(constraints)},
                      {"values", ShapesToJson(values)},
                      {"operators", std::move(calls)},
                      {"outputs", ShapesToJson(outputs)}};
}

Result<SymbolicShapes> SymbolicShapes::FromJson(const Json& json) {
  SymbolicShapes shapes;
  JsonFields fields(json, "symbolic shapes");
  fields.Read("state", &shapes.state);
  if (shapes.followed()) {
    fields.ReadArray("symbols", &shapes.symbols, SymbolFromJson);
    fields.ReadArray("inputs", &shapes.inputs, ShapeFromJson);
    fields.Read("constraints", &shapes.constraints);
    fields.ReadArray("values", &shapes.values, ShapeFromJson);
    fields.ReadArray("operators", &shapes.operators, ShapesFromJson);
    fields.ReadArray("outputs", &shapes.outputs, ShapeFromJson);
  }
  KM_RETURN_IF_ERROR(fields.Finish());
  for (const char* state : kStates) {
    if (shapes.state == state) return shapes;
  }
  return Status(ErrorCode::kCorrupt, "symbolic shapes: unknown state '" + shapes.state + "'");
}

bool Agrees(const SymbolicShape& shape, const std::vector<std::int64_t>& concrete,
            const SymbolValues& values) {
  if (shape.size() != concrete.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const Result<std::int64_t> size = EvaluateSize(shape[i], values);
    if (!size.ok() || *size != concrete[i]) return false;
  }
  return true;
}

}  // namespace kernelmill
