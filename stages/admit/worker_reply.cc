#include "stages/admit/worker_reply.h"

#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

// Reads a number that may be null or missing.
void ReadFigure(JsonFields* fields, std::string_view key, std::optional<double>* out) {
  if (!fields->Has(key)) return;
  Json value;
  fields->Read(key, &value);
  if (value.is_double() || value.is_int()) *out = value.as_double();
}

Result<OutputMeasure> MeasureFromJson(const Json& json) {
  OutputMeasure measure;
  JsonFields fields(json, "output measure");
  fields.Read("elements", &measure.elements);
  fields.Read("finite", &measure.finite);
  fields.Read("exact", &measure.exact);
  ReadFigure(&fields, "largest", &measure.largest);
  ReadFigure(&fields, "change", &measure.change);
  ReadFigure(&fields, "spread", &measure.spread);
  ReadFigure(&fields, "nearest_input", &measure.nearest_input);
  KM_RETURN_IF_ERROR(fields.Finish());
  return measure;
}

// Reads a tensor and its identifying field `key`.
template <typename Tensor, typename Key>
Result<Tensor> TensorFromJson(const Json& json, std::string_view key, Key Tensor::*value) {
  Tensor tensor;
  JsonFields fields(json, "tensor");
  fields.Read(key, &(tensor.*value));
  fields.Read("shape", &tensor.shape);
  fields.Read("dtype", &tensor.dtype);
  KM_RETURN_IF_ERROR(fields.Finish());
  return tensor;
}

// Reads an array of integers, or null.
void ReadIntegers(JsonFields* fields, const Json& json, std::string_view key,
                  std::optional<std::vector<std::int64_t>>* out) {
  const Json* value = json.Find(key);
  if (value != nullptr && value->is_array()) {
    fields->Read(key, &out->emplace());
  } else {
    Json null;
    fields->Read(key, &null);
  }
}

Result<FaultLayer> LayerFromJson(const Json& json) {
  FaultLayer layer;
  Json sizes;
  JsonFields fields(json, "layer");
  fields.Read("type", &layer.type);
  fields.Read("sizes", &sizes);
  fields.Read("pattern", &layer.pattern);
  ReadIntegers(&fields, json, "received", &layer.received);
  KM_RETURN_IF_ERROR(fields.Finish());
  if (!sizes.is_object()) return Status(ErrorCode::kCorrupt, "'sizes' must be an object");
  JsonFields attributes(sizes, "sizes");
  for (const auto& [name, unused] : sizes.as_object()) {
    std::vector<std::int64_t> values;
    attributes.Read(name, &values);
    layer.sizes.emplace_back(name, std::move(values));
  }
  KM_RETURN_IF_ERROR(attributes.Finish());
  return layer;
}

Result<Comparison> ComparisonFromJson(const Json& json) {
  Comparison comparison;
  JsonFields fields(json, "comparison");
  fields.Read("operator", &comparison.operation);
  fields.Read("left", &comparison.left);
  fields.Read("right", &comparison.right);
  KM_RETURN_IF_ERROR(fields.Finish());
  return comparison;
}

Result<NamedValue> NamedValueFromJson(const Json& json) {
  NamedValue named;
  JsonFields fields(json, "name");
  fields.Read("name", &named.name);
  ReadIntegers(&fields, json, "value", &named.value);
  KM_RETURN_IF_ERROR(fields.Finish());
  return named;
}

Result<Fault> FaultFromJson(const Json& json) {
  Fault fault;
  Json layer;
  std::string end;
  JsonFields fields(json, "fault");
  fields.Read("end", &end);
  fields.Read("phase", &fault.phase);
  fields.Read("type", &fault.type);
  fields.Read("message", &fault.message);
  fields.Read("line", &fault.line);
  fields.Read("function", &fault.function);
  fields.Read("layer", &layer);
  fields.ReadArray("locals", &fault.locals, [](const Json& local) {
    return TensorFromJson(local, "name", &LiveTensor::name);
  });
  fields.ReadArray("compared", &fault.compared, ComparisonFromJson);
  fields.ReadArray("names", &fault.names, NamedValueFromJson);
  fields.Read("steps", &fault.operators_run);
  KM_RETURN_IF_ERROR(fields.Finish());
  if (!layer.is_null()) {
    KM_ASSIGN(fault.layer, LayerFromJson(layer));
  }
  return fault;
}

}  // namespace

std::optional<std::int64_t> FaultLayer::Size(std::string_view name) const {
  for (const auto& [key, values] : sizes) {
    if (key == name && !values.empty()) return values.front();
  }
  return std::nullopt;
}

Result<WorkerReply> WorkerReply::FromJson(const Json& json) {
  WorkerReply reply;
  const Json* end = json.Find("end");
  if (end == nullptr || !end->is_string()) {
    return Status(ErrorCode::kWorker, "a reply of the torch worker has no \"end\"");
  }
  reply.end = end->as_string();
  if (reply.end == "fault") {
    KM_ASSIGN(reply.fault, FaultFromJson(json));
    return reply;
  }
  JsonFields fields(json, "worker reply");
  fields.Read("end", &reply.end);
  if (reply.end == "ran") {
    fields.Read("deterministic", &reply.deterministic);
    fields.Read("random", &reply.random);
    fields.Read("inputs_unchanged", &reply.inputs_unchanged);
    fields.ReadArray("inputs", &reply.inputs, [](const Json& input) {
      return TensorFromJson(input, "argument", &GivenTensor::argument);
    });
    fields.ReadArray("outputs", &reply.outputs, MeasureFromJson);
    fields.Read("annotation", &reply.annotation);
  } else if (fields.Has("detail")) {
    fields.Read("detail", &reply.detail);
  }
  KM_RETURN_IF_ERROR(fields.Finish());
  return reply;
}

}  // namespace kernelmill
