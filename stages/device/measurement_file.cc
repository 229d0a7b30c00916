#include "stages/device/measurement_file.h"

#include <fstream>
#include <sstream>
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

Result<MeasuredLine> LineOfText(const std::string& text, const std::string& path,
                                std::int64_t number) {
  const Result<Json> json = Json::Parse(text);
  Result<MeasuredLine> line = json.ok() ? LineFromJson(*json) : Result<MeasuredLine>(json.status());
  if (!line.ok()) return line.status().Within(path + ":" + std::to_string(number));
  return line;
}

// kConfig when two measurements in the file at `path` are of different devices.
Status CheckComparable(const Measurement& one, const Measurement& other, const std::string& path) {
  if (one.device == other.device) return Status::Ok();
  return Status(ErrorCode::kConfig,
                path + ": it has times of two devices, " + one.device.ToJson().Dump() + " and " +
                    other.device.ToJson().Dump() + ", which are not comparable");
}

// Which of several measurements of an answer counts: the smallest rank.
std::pair<int, double> RankOf(const Measurement& measurement) {
  if (measurement.IsFailure()) return {0, 0};
  return measurement.answer ? std::pair(1, measurement.answer->median_ms) : std::pair(2, 0.0);
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
    KM_ASSIGN(MeasuredLine line, LineOfText(text, path, number));
    std::string key = line.key;
    lines.insert_or_assign(std::move(key), std::move(line));
  }
  return lines;
}

Result<std::map<std::string, MeasuredLine>> ReadComparableMeasurements(const std::string& path) {
  KM_ASSIGN(auto lines, ReadMeasurements(path));
  for (const auto& [_, line] : lines) {
    KM_RETURN_IF_ERROR(CheckComparable(lines.begin()->second.measurement, line.measurement, path));
  }
  return lines;
}

Result<AnswerMeasurements> AnswerMeasurementsIn(const std::string& text, const std::string& path) {
  AnswerMeasurements measurements;
  std::istringstream file(text);
  std::int64_t number = 0;
  for (std::string one; std::getline(file, one);) {
    KM_ASSIGN(MeasuredLine line, LineOfText(one, path, ++number));
    if (!measurements.empty()) {
      KM_RETURN_IF_ERROR(CheckComparable(measurements.begin()->second, line.measurement, path));
    }
    const auto [place, is_first] = measurements.try_emplace(line.answer, line.measurement);
    if (!is_first && RankOf(line.measurement) < RankOf(place->second)) {
      place->second = std::move(line.measurement);
    }
  }
  return measurements;
}

const Measurement* FindMeasurement(const std::map<std::string, MeasuredLine>& lines,
                                   const std::string& key, const std::string& fingerprint) {
  const auto line = lines.find(key);
  const bool fits = line != lines.end() && line->second.fingerprint == fingerprint;
  return fits ? &line->second.measurement : nullptr;
}

}  // namespace kernelmill
