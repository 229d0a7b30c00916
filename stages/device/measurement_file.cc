#include "stages/device/measurement_file.h"

#include <filesystem>
#include <fstream>
#include <utility>

#include "corpora/records/verdict.h"
#include "manifests/json_fields.h"
#include "stages/trajectories/turn_reward.h"

namespace kernelmill {
namespace {

Result<MeasuredLine> LineFromJson(const Json& json) {
  MeasuredLine line;
  Json reward;
  JsonFields fields(json, "measured answer");
  fields.Read("key", &line.key);
  fields.Read("fingerprint", &line.fingerprint);
  fields.Read("answer", &line.answer);
  fields.Read("reward", &reward);
  fields.ReadValue("measurement", &line.measurement, Measurement::FromJson);
  KM_RETURN_IF_ERROR(fields.Finish());
  return line;
}

}  // namespace

Digest AnswerId(std::string_view reference, std::string_view backend, std::string_view code) {
  return Sha256().Field("answer").Field(reference).Field(backend).Field(code).Finish();
}

std::string MeasuredLine::Text() const {
  return Json(Json::Object{{"key", key},
                           {"fingerprint", fingerprint},
                           {"answer", answer.Hex()},
                           {"reward", RewardOf(measurement)},
                           {"measurement", measurement.ToJson()}})
             .Dump() +
         "\n";
}

Json RewardOf(const Measurement& measurement) {
  if (measurement.IsFailure()) return Json();
  Verdict correct;
  correct.status = VerdictStatus::kCorrect;
  const double reward = *TurnReward(correct, measurement.SpeedUp(), SpeedTerm());
  return Json::Object{{"correctness", 1.0},
                      {"performance", measurement.SpeedUp() ? Json(reward - 1) : Json()}};
}

Result<std::map<std::string, MeasuredLine>> ReadMeasurements(const std::string& path) {
  std::map<std::string, MeasuredLine> lines;
  std::ifstream file(path, std::ios::binary);
  if (!file) return lines;
  std::int64_t number = 0;
  for (std::string text; std::getline(file, text);) {
    ++number;
    if (file.eof()) break;
    const Result<Json> json = Json::Parse(text);
    Result<MeasuredLine> line =
        json.ok() ? LineFromJson(*json) : Result<MeasuredLine>(json.status());
    if (!line.ok()) return line.status().Within(path + ":" + std::to_string(number));
    std::string key = line->key;
    lines.insert_or_assign(std::move(key), std::move(line).value());
  }
  return lines;
}

Result<AnswerMeasurements> ReadAnswerMeasurements(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return Status(ErrorCode::kNotFound,
                  path + ": no such file; `verify --device cuda` writes " + kMeasurementsName);
  }
  KM_ASSIGN(auto lines, ReadMeasurements(path));
  AnswerMeasurements measurements;
  for (auto& [key, line] : lines) {
    if (!measurements.empty() && line.measurement.device != measurements.begin()->second.device) {
      return Status(ErrorCode::kConfig, path + ": it has times of two devices, " +
                                            measurements.begin()->second.device.ToJson().Dump() +
                                            " and " + line.measurement.device.ToJson().Dump() +
                                            ", which are not comparable");
    }
    measurements.insert_or_assign(line.answer, std::move(line.measurement));
  }
  return measurements;
}

}  // namespace kernelmill
