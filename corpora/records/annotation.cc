#include "corpora/records/annotation.h"

#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr int kVersion = 2;  // Version 2 added `symbolic`.

Json ToJson(const TensorFacts& facts);
Json ToJson(const LineValue& value);
Json ToJson(const OperatorCall& call);
Json ToJson(const DispatchCount& entry);
Json ToJson(const ParameterFacts& parameter);

template <typename T>
Json::Array ToArray(const std::vector<T>& items) {
  Json::Array array;
  for (const T& item : items) array.push_back(ToJson(item));
  return array;
}

Json ToJson(const TensorFacts& facts) {
  return Json::Object{{"shape", kernelmill::ToJson(facts.shape)},
                      {"dtype", facts.dtype},
                      {"stride", kernelmill::ToJson(facts.stride)}};
}

void ReadTensor(JsonFields* fields, TensorFacts* facts) {
  fields->Read("shape", &facts->shape);
  fields->Read("dtype", &facts->dtype);
  fields->Read("stride", &facts->stride);
}

Result<TensorFacts> TensorFromJson(const Json& json) {
  TensorFacts facts;
  JsonFields fields(json, "tensor");
  ReadTensor(&fields, &facts);
  KM_RETURN_IF_ERROR(fields.Finish());
  return facts;
}

Json ToJson(const LineValue& value) {
  Json json = ToJson(value.tensor);
  json["line"] = value.line;
  json["name"] = value.name;
  return json;
}

Result<LineValue> ValueFromJson(const Json& json) {
  LineValue value;
  JsonFields fields(json, "value");
  fields.Read("line", &value.line);
  fields.Read("name", &value.name);
  ReadTensor(&fields, &value.tensor);
  KM_RETURN_IF_ERROR(fields.Finish());
  return value;
}

Json ToJson(const OperatorCall& call) {
  return Json::Object{{"line", call.line}, {"name", call.name}, {"outputs", ToArray(call.outputs)}};
}

Result<OperatorCall> CallFromJson(const Json& json) {
  OperatorCall call;
  JsonFields fields(json, "operator");
  fields.Read("line", &call.line);
  fields.Read("name", &call.name);
  fields.ReadArray("outputs", &call.outputs, TensorFromJson);
  KM_RETURN_IF_ERROR(fields.Finish());
  return call;
}

Json ToJson(const DispatchCount& entry) {
  return Json::Object{{"name", entry.name}, {"count", entry.count}};
}

Result<DispatchCount> CountFromJson(const Json& json) {
  DispatchCount entry;
  JsonFields fields(json, "aten");
  fields.Read("name", &entry.name);
  fields.Read("count", &entry.count);
  KM_RETURN_IF_ERROR(fields.Finish());
  return entry;
}

Json ToJson(const ParameterFacts& parameter) {
  return Json::Object{{"name", parameter.name},
                      {"shape", kernelmill::ToJson(parameter.shape)},
                      {"dtype", parameter.dtype}};
}

Result<ParameterFacts> ParameterFromJson(const Json& json) {
  ParameterFacts parameter;
  JsonFields fields(json, "parameter");
  fields.Read("name", &parameter.name);
  fields.Read("shape", &parameter.shape);
  fields.Read("dtype", &parameter.dtype);
  KM_RETURN_IF_ERROR(fields.Finish());
  return parameter;
}

}  // namespace

std::int64_t Annotation::ParameterCount() const {
  std::int64_t total = 0;
  for (const ParameterFacts& parameter : parameters) {
    std::int64_t elements = 1;
    for (std::int64_t size : parameter.shape) elements *= size;
    total += elements;
  }
  return total;
}

Json Annotation::ToJson() const {
  return Json::Object{{"v", kVersion},
                      {"task", task.Hex()},
                      {"values", ToArray(values)},
                      {"operators", ToArray(operators)},
                      {"aten", ToArray(aten)},
                      {"outputs", ToArray(outputs)},
                      {"parameters", ToArray(parameters)},
                      {"flops", flops},
                      {"bytes", bytes},
                      {"truncated", truncated},
                      {"symbolic", symbolic.ToJson()}};
}

Result<Annotation> Annotation::FromJson(const Json& json) {
  Annotation annotation;
  JsonFields fields(json, "annotation");
  fields.Version(kVersion);
  fields.Read("task", &annotation.task);
  fields.ReadArray("values", &annotation.values, ValueFromJson);
  fields.ReadArray("operators", &annotation.operators, CallFromJson);
  fields.ReadArray("aten", &annotation.aten, CountFromJson);
  fields.ReadArray("outputs", &annotation.outputs, TensorFromJson);
  fields.ReadArray("parameters", &annotation.parameters, ParameterFromJson);
  fields.Read("flops", &annotation.flops);
  fields.Read("bytes", &annotation.bytes);
  fields.Read("truncated", &annotation.truncated);
  Json symbolic = SymbolicShapes().ToJson();
  if (fields.Has("symbolic")) fields.Read("symbolic", &symbolic);
  KM_RETURN_IF_ERROR(fields.Finish());
  KM_ASSIGN(annotation.symbolic, SymbolicShapes::FromJson(symbolic));
  return annotation;
}

}  // namespace kernelmill
