// Measures the correct answers of a folder with verdicts.jsonl (stages/verify/run/verify_run.h) and
// writes FOLDER/measurements.jsonl (measurement_file.h), for `verify --device`. Answers for other
// backends than CUDA are left out.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "corpora/records/measurement.h"
#include "manifests/json.h"
#include "stages/device/measurement_file.h"
#include "stages/device/measuring_device.h"
#include "stages/verify/run/verify_item.h"

namespace kernelmill {

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
  std::int64_t not_compiled = 0;  // Without times under torch.compile, where these were asked for.
  std::optional<double> mean_speedup;  // The geometric mean over eager PyTorch.

  Json ToJson() const;
  std::string Text() const;
};

// Measures each correct answer, unless the file has its measurement on the same device; a killed
// run goes on. kCorrupt when verdicts.jsonl names an answer that `items` lacks.
Result<MeasurementSummary> MeasureCorrect(const std::vector<VerifyItem>& items,
                                          MeasuringDevice& device,
                                          const MeasurementRunOptions& options);

}  // namespace kernelmill
