#include "stages/capture/captured_run.h"

#include <algorithm>
#include <array>

#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr std::array<std::string_view, 5> kRoles = {"input", "parameter", "buffer", "constant",
                                                    "result"};

Result<CapturedValue> ValueFromJson(const Json& json) {
  CapturedValue value;
  std::vector<std::int64_t> shape;
  std::string dtype, role;
  JsonFields fields(json, "value");
  fields.Read("shape", &shape);
  fields.Read("dtype", &dtype);
  fields.Read("stride", &value.stride);
  fields.Read("memory", &value.memory);
  fields.Read("role", &role);
  fields.Read("name", &value.name);
  KM_RETURN_IF_ERROR(fields.Finish());
  const auto found = std::find(kRoles.begin(), kRoles.end(), role);
  if (found == kRoles.end()) return Status(ErrorCode::kCorrupt, "unknown role " + role);
  value.role = static_cast<CapturedValue::Role>(found - kRoles.begin());
  TensorType type;
  if (FindDType(dtype, &type.dtype) && shape.size() <= kMaxRank) {
    type.shape = Shape(shape);
    value.type = type;
  }
  return value;
}

Result<CapturedCall> CallFromJson(const Json& json) {
  CapturedCall call;
  Json arguments;
  std::vector<std::int64_t> results;
  JsonFields fields(json, "call");
  fields.Read("function", &call.function);
  fields.Read("arguments", &arguments);
  fields.Read("results", &results);
  if (fields.Has("writes")) fields.Read("writes", &call.writes);
  KM_RETURN_IF_ERROR(fields.Finish());
  call.results.assign(results.begin(), results.end());
  if (!arguments.is_array()) return Status(ErrorCode::kCorrupt, "'arguments' must be an array");
  for (const Json& argument : arguments.as_array()) {
    if (!argument.is_array() || argument.as_array().size() != 3 ||
        !argument.as_array()[2].is_bool()) {
      return Status(ErrorCode::kCorrupt, "an argument must be a name, a value and a flag");
    }
    const Json::Array& parts = argument.as_array();
    call.arguments.push_back(
        {parts[0].is_string() ? parts[0].as_string() : "", parts[1], parts[2].as_bool()});
  }
  return call;
}

Result<std::pair<std::string, std::int64_t>> NumberFromJson(const Json& json) {
  if (!json.is_array() || json.as_array().size() != 2 || !json.as_array()[0].is_string() ||
      !json.as_array()[1].is_int()) {
    return Status(ErrorCode::kCorrupt, "a number must be a text and a value");
  }
  return std::pair(json.as_array()[0].as_string(), json.as_array()[1].as_int());
}

Status CheckNumbers(const CapturedRun& run) {
  const auto known = [&](int value) { return value >= 0 && value < int(run.values.size()); };
  bool good = std::all_of(run.outputs.begin(), run.outputs.end(), known);
  for (const CapturedCall& call : run.calls) {
    good = good && std::all_of(call.results.begin(), call.results.end(), known);
    for (const CapturedArgument& argument : call.arguments) {
      const std::vector<int> values = ValuesIn(argument.value);
      good = good && std::all_of(values.begin(), values.end(), known);
    }
  }
  return good ? Status::Ok() : Status(ErrorCode::kCorrupt, "a value that is not listed");
}

Result<CapturedRun> Read(const Json& reply) {
  CapturedRun run;
  std::string end;
  std::vector<std::int64_t> outputs;
  JsonFields fields(reply, "reply");
  fields.Read("end", &end);
  fields.ReadArray("values", &run.values, ValueFromJson);
  fields.ReadArray("calls", &run.calls, CallFromJson);
  fields.Read("outputs", &outputs);
  fields.Read("arguments", &run.arguments);
  fields.ReadArray("sites", &run.sites, SizeSite::FromJson);
  fields.ReadArray("numbers", &run.module_integers, NumberFromJson);
  KM_RETURN_IF_ERROR(fields.Finish());
  run.outputs.assign(outputs.begin(), outputs.end());
  KM_RETURN_IF_ERROR(CheckNumbers(run));
  return run;
}

}  // namespace

Result<CapturedRun> CapturedRun::FromJson(const Json& reply) {
  Result<CapturedRun> run = Read(reply);
  if (run.ok()) return run;
  return Status(ErrorCode::kWorker, run.status().message()).Within("the torch worker's capture");
}

bool CapturedRun::KeepWhatOutputsNeed() {
  // The calls are visited backwards, so that `needed` marks the values that later calls and the
  // outputs read.
  std::vector<bool> needed(values.size());
  for (const int output : outputs) needed[output] = true;
  std::vector<CapturedCall> kept;
  bool values_stay = true;
  for (auto call = calls.rbegin(); call != calls.rend(); ++call) {
    if (call->writes && ReadsOldValues(*call, needed)) values_stay = false;
    const bool used = std::any_of(call->results.begin(), call->results.end(),
                                  [&](int result) { return bool(needed[result]); });
    if (!used) continue;
    for (const CapturedArgument& argument : call->arguments) {
      for (const int value : ValuesIn(argument.value)) needed[value] = true;
    }
    kept.push_back(std::move(*call));
  }
  std::reverse(kept.begin(), kept.end());
  calls = std::move(kept);
  return values_stay;
}

bool CapturedRun::ReadsOldValues(const CapturedCall& write, const std::vector<bool>& needed) const {
  // Values are numbered in the order of their creation, so the values before `first` are older.
  const int first = write.results.front();
  for (int value = 0; value < first; ++value) {
    if (needed[value] && values[value].memory == values[first].memory) return true;
  }
  return false;
}

std::vector<int> ValuesIn(const Json& argument) {
  std::vector<int> found;
  std::vector<const Json*> stack = {&argument};
  while (!stack.empty()) {
    const Json& item = *stack.back();
    stack.pop_back();
    if (item.is_array()) {
      for (auto entry = item.as_array().rbegin(); entry != item.as_array().rend(); ++entry) {
        stack.push_back(&*entry);
      }
    } else if (const Json* value = item.Find("value"); value != nullptr && value->is_int()) {
      found.push_back(static_cast<int>(value->as_int()));
    }
  }
  return found;
}

}  // namespace kernelmill
