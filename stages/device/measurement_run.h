// Measures the correct answers of a folder with verdicts.jsonl (stages/verify/run/verify_run.h) and
// writes FOLDER/measurements.jsonl, for `verify --device`: one line for each answer that the CPU
// judge has found correct, in the order of the verdicts: {"key", "fingerprint", "reward",
// "measurement"}. The reward is that of the verdict with its performance term (turn_reward.h).
// The scores read this file. Answers for other backends than CUDA are left out.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "corpora/records/measurement.h"
#include "manifests/json.h"
#include "stages/device/measuring_device.h"
#include "stages/verify/run/verify_item.h"

namespace kernelmill {

inline constexpr char kMeasurementsName[] = "measurements.jsonl";

struct MeasurementRunOptions {
  std::string folder;
  int jobs = 1;  // Answers that are built and loaded side by side.
  bool training = true;
  double tolerance = 1e-4, half_tolerance = 1e-2;
  bool compiled = false;  // Whether the device times torch.compile too.
  bool fresh = false;     // Measure again what the file has.
};

struct MeasurementSummary {
  std::int64_t measured = 0, reused = 0;
  std::map<std::string, std::int64_t> outcomes;
  std::int64_t disturbed = 0;
  std::optional<double> mean_speedup;  // The geometric mean over eager PyTorch.

  Json ToJson() const;
  std::string Text() const;
};

// Measures each correct answer, unless the file has its measurement on the same device; a killed
// run goes on. kCorrupt when verdicts.jsonl names an answer that `items` lacks.
Result<MeasurementSummary> MeasureCorrect(const std::vector<VerifyItem>& items,
                                          MeasuringDevice& device,
                                          const MeasurementRunOptions& options);

// A line of measurements.jsonl.
struct MeasuredLine {
  std::string key, fingerprint;
  Measurement measurement;
};

// The lines of the file at `path` by key; none when it does not exist. A last line without an end
// is what a killed run leaves, and is left out. kCorrupt, with the line, when another is damaged.
Result<std::map<std::string, MeasuredLine>> ReadMeasurements(const std::string& path);

// The reward of a correct answer with its performance term, as Verdict::RewardJson() has it; null
// for one that fails on the device: the two disagree, and neither is to be trained on.
Json RewardOf(const Measurement& measurement);

}  // namespace kernelmill
