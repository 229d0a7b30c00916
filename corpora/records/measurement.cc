#include "corpora/records/measurement.h"

#include <cmath>
#include <utility>

#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr int kVersion = 1;
// A load below this is what the process that asks for it causes itself.
constexpr std::int64_t kOwnLoadPercent = 10;
// Relative difference of a number that a program has read and written again.
constexpr double kRewritten = 1e-12;

constexpr std::pair<MeasurementOutcome, std::string_view> kOutcomes[] = {
    {MeasurementOutcome::kMeasured, "measured"},
    {MeasurementOutcome::kWrong, "wrong"},
    {MeasurementOutcome::kNotBuilt, "not_built"},
    {MeasurementOutcome::kNotLoaded, "not_loaded"},
    {MeasurementOutcome::kCrashed, "crashed"},
    {MeasurementOutcome::kTimedOut, "timed_out"},
    {MeasurementOutcome::kNoReference, "no_reference"},
};

template <typename T>
Json JsonOf(const std::optional<T>& value) {
  if constexpr (requires { value->ToJson(); }) {
    return value ? value->ToJson() : Json();
  } else {
    return value ? Json(*value) : Json();
  }
}

Result<std::optional<std::int64_t>> NumberOrNull(const Json& json) {
  if (json.is_null()) return std::optional<std::int64_t>();
  if (!json.is_int()) return Status(ErrorCode::kCorrupt, "expected a whole number or null");
  return std::optional(json.as_int());
}

Result<std::optional<TimeSpread>> SpreadOrNull(const Json& json) {
  if (json.is_null()) return std::optional<TimeSpread>();
  KM_ASSIGN(TimeSpread spread, TimeSpread::FromJson(json));
  return std::optional(spread);
}

// Whether what a record says is what follows from its times. Programs that write JSON again change
// the last digits of numbers.
bool Follows(const Json& said, const Json& follows) {
  const auto is_number = [](const Json& json) { return json.is_int() || json.is_double(); };
  if (!is_number(said) || !is_number(follows)) return said == follows;
  const double value = follows.as_double();
  return std::abs(said.as_double() - value) <= kRewritten * std::abs(value);
}

}  // namespace

std::string_view OutcomeName(MeasurementOutcome outcome) {
  for (const auto& [value, name] : kOutcomes) {
    if (value == outcome) return name;
  }
  return "";
}

Result<MeasurementOutcome> OutcomeFromName(std::string_view name) {
  for (const auto& [value, known] : kOutcomes) {
    if (known == name) return value;
  }
  return Status(ErrorCode::kCorrupt, "unknown outcome '" + std::string(name) + "'");
}

Json TimeSpread::ToJson() const {
  return Json::Object{
      {"median_ms", median_ms}, {"low_ms", low_ms}, {"high_ms", high_ms}, {"runs", runs}};
}

Result<TimeSpread> TimeSpread::FromJson(const Json& json) {
  TimeSpread spread;
  JsonFields fields(json, "times");
  fields.Read("median_ms", &spread.median_ms);
  fields.Read("low_ms", &spread.low_ms);
  fields.Read("high_ms", &spread.high_ms);
  fields.Read("runs", &spread.runs);
  KM_RETURN_IF_ERROR(fields.Finish());
  const bool ordered = 0 < spread.low_ms && spread.low_ms <= spread.median_ms &&
                       spread.median_ms <= spread.high_ms && std::isfinite(spread.high_ms);
  if (!ordered || spread.runs < 1) {
    return Status(ErrorCode::kCorrupt,
                  "times: they must be of at least one run, above 0, and the median between the "
                  "lowest and the highest");
  }
  return spread;
}

Json DeviceState::ToJson() const {
  return Json::Object{{"sm_mhz", JsonOf(sm_mhz)},
                      {"memory_mhz", JsonOf(memory_mhz)},
                      {"load_percent", JsonOf(load_percent)},
                      {"celsius", JsonOf(celsius)}};
}

Result<DeviceState> DeviceState::FromJson(const Json& json) {
  DeviceState state;
  JsonFields fields(json, "state of a device");
  fields.ReadValue("sm_mhz", &state.sm_mhz, NumberOrNull);
  fields.ReadValue("memory_mhz", &state.memory_mhz, NumberOrNull);
  fields.ReadValue("load_percent", &state.load_percent, NumberOrNull);
  fields.ReadValue("celsius", &state.celsius, NumberOrNull);
  KM_RETURN_IF_ERROR(fields.Finish());
  return state;
}

Json DeviceIdentity::ToJson() const {
  return Json::Object{{"name", name},
                      {"architecture", architecture},
                      {"driver", driver},
                      {"cuda", cuda},
                      {"torch", torch}};
}

Result<DeviceIdentity> DeviceIdentity::FromJson(const Json& json) {
  DeviceIdentity identity;
  JsonFields fields(json, "device");
  fields.Read("name", &identity.name);
  fields.Read("architecture", &identity.architecture);
  fields.Read("driver", &identity.driver);
  fields.Read("cuda", &identity.cuda);
  fields.Read("torch", &identity.torch);
  KM_RETURN_IF_ERROR(fields.Finish());
  return identity;
}

std::optional<double> Measurement::SpeedUp() const {
  if (!answer || !eager) return std::nullopt;
  return eager->median_ms / answer->median_ms;
}

std::optional<double> Measurement::SpeedUpOverCompiled() const {
  if (!answer || !compiled) return std::nullopt;
  return compiled->median_ms / answer->median_ms;
}

bool Measurement::IsDisturbed() const { return before.load_percent.value_or(0) > kOwnLoadPercent; }

Json Measurement::ToJson() const {
  return Json::Object{{"v", kVersion},
                      {"outcome", OutcomeName(outcome)},
                      {"detail", detail},
                      {"device", device.ToJson()},
                      {"answer", JsonOf(answer)},
                      {"eager", JsonOf(eager)},
                      {"compiled", JsonOf(compiled)},
                      {"before", before.ToJson()},
                      {"after", after.ToJson()},
                      {"speedup", JsonOf(SpeedUp())},
                      {"speedup_over_compiled", JsonOf(SpeedUpOverCompiled())},
                      {"disturbed", IsDisturbed()}};
}

Result<Measurement> Measurement::FromJson(const Json& json) {
  Measurement measurement;
  Json speed_up, over_compiled, disturbed;
  JsonFields fields(json, "measurement");
  fields.Version(kVersion);
  fields.ReadValue("outcome", &measurement.outcome,
                   [](const Json& name) -> Result<MeasurementOutcome> {
                     return OutcomeFromName(name.is_string() ? name.as_string() : "");
                   });
  fields.Read("detail", &measurement.detail);
  fields.ReadValue("device", &measurement.device, DeviceIdentity::FromJson);
  fields.ReadValue("answer", &measurement.answer, SpreadOrNull);
  fields.ReadValue("eager", &measurement.eager, SpreadOrNull);
  fields.ReadValue("compiled", &measurement.compiled, SpreadOrNull);
  fields.ReadValue("before", &measurement.before, DeviceState::FromJson);
  fields.ReadValue("after", &measurement.after, DeviceState::FromJson);
  fields.Read("speedup", &speed_up);
  fields.Read("speedup_over_compiled", &over_compiled);
  fields.Read("disturbed", &disturbed);
  KM_RETURN_IF_ERROR(fields.Finish());
  const bool timed = measurement.answer && measurement.eager;
  if (timed != (measurement.outcome == MeasurementOutcome::kMeasured)) {
    return Status(ErrorCode::kCorrupt,
                  "measurement: the times of answer and reference are there exactly when the "
                  "outcome is \"measured\"");
  }
  if (!Follows(speed_up, JsonOf(measurement.SpeedUp())) ||
      !Follows(over_compiled, JsonOf(measurement.SpeedUpOverCompiled())) ||
      disturbed != Json(measurement.IsDisturbed())) {
    return Status(ErrorCode::kCorrupt,
                  "measurement: \"speedup\", \"speedup_over_compiled\" or \"disturbed\" does not "
                  "follow from the rest");
  }
  return measurement;
}

}  // namespace kernelmill
