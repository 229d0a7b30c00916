// drift_of_files ROLLOUT TRAIN ROLLOUT_TEMPERATURE ROLLOUT_MODE TRAIN_TEMPERATURE TRAIN_MODE DELTA
//
// Reads two files of samples, in any format of lines, and compares the responses line by line, for
// real_log_probs_test.py. A temperature or mode of "-" is unknown; a DELTA of "calibrated" is
// calibrated on these responses. A response is correct when its message begins with "right". Prints
// {"masks": […], "report": {…}, "mean": the mean reward}.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "parsers/samples/sample_format.h"
#include "stages/drift/drift_report.h"

namespace kernelmill {
namespace {

Result<std::vector<ModelSample>> SamplesOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Status::FromErrno("cannot open", path);
  std::vector<ModelSample> samples;
  for (std::string line; std::getline(file, line);) {
    const SampleFormat* const format = RecogniseSampleFormat(line);
    if (format == nullptr) return Status(ErrorCode::kCorrupt, path + ": no format of samples");
    ParsedSamples parsed = ParseSamples(*format, line);
    if (!parsed.problems.empty()) return Status(ErrorCode::kCorrupt, parsed.problems[0].detail);
    for (ModelSample& sample : parsed.samples) samples.push_back(std::move(sample));
  }
  return samples;
}

Result<ScoredTokens> ConditionsOf(const std::string& temperature, const std::string& mode) {
  ScoredTokens tokens;
  if (temperature != "-") tokens.temperature = std::strtod(temperature.c_str(), nullptr);
  if (mode != "-") {
    KM_ASSIGN(tokens.mode, LogProbModeNamed(mode));
  }
  return tokens;
}

Status Run(const std::vector<std::string>& words) {
  if (words.size() != 7) return Status(ErrorCode::kUsage, "seven arguments are expected");
  KM_ASSIGN(const std::vector<ModelSample> rollouts, SamplesOf(words[0]));
  KM_ASSIGN(const std::vector<ModelSample> trained, SamplesOf(words[1]));
  KM_ASSIGN(ScoredTokens rollout, ConditionsOf(words[2], words[3]));
  KM_ASSIGN(ScoredTokens train, ConditionsOf(words[4], words[5]));
  if (rollouts.size() != trained.size()) {
    return Status(ErrorCode::kUsage, "the files have different numbers of samples");
  }
  std::vector<TokenDrift> drifts;
  std::vector<double> known;
  for (std::size_t i = 0; i < rollouts.size(); ++i) {
    rollout.sample = &rollouts[i];
    train.sample = &trained[i];
    drifts.push_back(DriftBetween(rollout, train));
    if (drifts.back().d) known.push_back(*drifts.back().d);
  }
  double delta = std::strtod(words[6].c_str(), nullptr);
  if (words[6] == "calibrated") {
    KM_ASSIGN(delta, CalibratedDelta(known));
  }
  std::vector<MaskedResponse> responses;
  Json::Array masks;
  for (std::size_t i = 0; i < rollouts.size(); ++i) {
    const bool correct = rollouts[i].message.starts_with("right");
    responses.push_back({correct ? 1.0 : -1.0, correct, MaskOf(drifts[i], delta)});
    masks.push_back(responses.back().mask.ToJson());
  }
  const RewardGroup group = RewardGroupOf(responses);
  const Json json = Json::Object{{"masks", std::move(masks)},
                                 {"report", ReportDrift(responses, delta).ToJson()},
                                 {"mean", group.mean ? Json(*group.mean) : Json()}};
  std::printf("%s\n", json.Dump().c_str());
  return Status::Ok();
}

}  // namespace
}  // namespace kernelmill

int main(int argc, char** argv) {
  const kernelmill::Status status = kernelmill::Run({argv + 1, argv + argc});
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}
