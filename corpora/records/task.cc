#include "corpora/records/task.h"

#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr int kVersion = 1;

std::string TupleOf(const std::vector<std::int64_t>& sizes) {
  std::string text = "(";
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(sizes[i]);
  }
  return text + (sizes.size() == 1 ? ",)" : ")");
}

}  // namespace

std::string InputSpec::Expression() const {
  const std::string size = TupleOf(shape);
  if (draw == "randint") {
    const std::string suffix = dtype == "int64" ? "" : ", dtype=torch." + dtype;
    return "torch.randint(" + std::to_string(low) + ", " + std::to_string(high) + ", " + size +
           suffix + ")";
  }
  if (draw == "bool") return "torch.rand" + size + " < 0.5";
  const std::string suffix = dtype == "float32" ? "" : ", dtype=torch." + dtype;
  if (shape.size() == 1 || shape.empty()) return "torch." + draw + "(" + size + suffix + ")";
  return "torch." + draw + size.substr(0, size.size() - 1) + suffix + ")";
}

Json InputSpec::ToJson() const {
  return Json::Object{{"name", name}, {"dtype", dtype}, {"shape", kernelmill::ToJson(shape)},
                      {"draw", draw}, {"low", low},     {"high", high}};
}

Result<InputSpec> InputSpec::FromJson(const Json& json) {
  InputSpec spec;
  JsonFields fields(json, "input");
  fields.Read("name", &spec.name);
  fields.Read("dtype", &spec.dtype);
  fields.Read("shape", &spec.shape);
  fields.Read("draw", &spec.draw);
  fields.Read("low", &spec.low);
  fields.Read("high", &spec.high);
  KM_RETURN_IF_ERROR(fields.Finish());
  return spec;
}

Json Task::ToJson() const {
  Json::Array specs;
  for (const InputSpec& input : inputs) specs.push_back(input.ToJson());
  return Json::Object{
      {"v", kVersion}, {"code", code}, {"inputs", specs}, {"shape_contract", shape_contract}};
}

Result<Task> Task::FromJson(const Json& json) {
  Task task;
  JsonFields fields(json, "task");
  fields.Version(kVersion);
  fields.Read("code", &task.code);
  fields.ReadArray("inputs", &task.inputs, InputSpec::FromJson);
  fields.Read("shape_contract", &task.shape_contract);
  KM_RETURN_IF_ERROR(fields.Finish());
  return task;
}

}  // namespace kernelmill
