#include "manifests/plan.h"

#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr int kVersion = 1;

}  // namespace

Digest Plan::Identity() const {
  return Sha256()
      .Field(step)
      .Field(std::to_string(version))
      .Field(parameters.Dump())
      .Field(tool.AsKey())
      .Field(std::to_string(partitions))
      .Field(inputs_digest.AsKey())
      .Finish();
}

Json Plan::ToJson() const {
  return Json::Object{{"v", kVersion},
                      {"step", step},
                      {"version", version},
                      {"parameters", parameters},
                      {"tool", tool.Hex()},
                      {"partitions", partitions},
                      {"proposed", proposed},
                      {"inputs", inputs},
                      {"inputs_digest", inputs_digest.Hex()},
                      {"inputs_file", inputs_file},
                      {"inputs_size", inputs_size},
                      {"inputs_sha256", inputs_sha256.Hex()}};
}

Result<Plan> Plan::FromJson(const Json& json) {
  Plan plan;
  JsonFields fields(json, "plan");
  fields.Version(kVersion);
  fields.Read("step", &plan.step);
  fields.Read("version", &plan.version);
  fields.Read("parameters", &plan.parameters);
  fields.Read("tool", &plan.tool);
  fields.Read("partitions", &plan.partitions);
  fields.Read("proposed", &plan.proposed);
  fields.Read("inputs", &plan.inputs);
  fields.Read("inputs_digest", &plan.inputs_digest);
  fields.Read("inputs_file", &plan.inputs_file);
  fields.Read("inputs_size", &plan.inputs_size);
  fields.Read("inputs_sha256", &plan.inputs_sha256);
  KM_RETURN_IF_ERROR(fields.Finish());
  if (plan.partitions < 1 || plan.inputs < 0 || plan.proposed < plan.inputs || plan.inputs_file.find('/') != std::string::npos) {
    return Status(ErrorCode::kCorrupt, "plan: a value is out of range");
  }
  return plan;
}

std::string DescribePlanChange(const Plan& before, const Plan& now) {
  if (before.step != now.step || before.version != now.version) {
    return "the step is now " + now.step + " version " + std::to_string(now.version) + " and was " +
           before.step + " version " + std::to_string(before.version);
  }
  if (before.parameters != now.parameters && before.parameters.is_object() &&
      now.parameters.is_object()) {
    for (const auto& [key, value] : now.parameters.as_object()) {
      const Json* old = before.parameters.Find(key);
      if (old == nullptr) return key + " is now " + value.Dump() + " and was absent";
      if (*old != value) return key + " is now " + value.Dump() + " and was " + old->Dump();
    }
    for (const auto& [key, value] : before.parameters.as_object()) {
      if (now.parameters.Find(key) == nullptr) return key + " was " + value.Dump() + " and is gone";
    }
  }
  if (before.partitions != now.partitions) {
    return "partitions is now " + std::to_string(now.partitions) + " and was " +
           std::to_string(before.partitions);
  }
  if (before.tool != now.tool) return "kernelmill itself, its worker or torch changed";
  return "";
}

}  // namespace kernelmill
