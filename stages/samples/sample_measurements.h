// The times of samples on a device that the configuration key select.measurements names. The steps
// "buffer" and "select" read them, and the dataset gets those of its samples.
#pragma once

#include <optional>
#include <string>

#include "corpora/records/sample.h"
#include "manifests/config.h"
#include "stages/device/measurement_file.h"

namespace kernelmill {

inline constexpr char kMeasurementsKey[] = "select.measurements";

class SampleMeasurements {
 public:
  // Those of the configured file; none when no file is configured. kConfig, with the key, when it
  // cannot be used (AnswerMeasurementsIn()).
  static Result<SampleMeasurements> Of(const Config& config);

  // The measurement of a sample of a task whose text is `reference`; null if it has none.
  const Measurement* Find(const std::string& reference, const Sample& sample) const;
  // AnswerId() of the code that the sample is judged by; nothing for a sample without code.
  static std::optional<Digest> IdOf(const std::string& reference, const Sample& sample);

  bool empty() const { return by_answer_.empty(); }
  // Of the file; nothing when none is configured.
  const std::optional<Digest>& digest() const { return digest_; }

 private:
  AnswerMeasurements by_answer_;
  std::optional<Digest> digest_;
};

}  // namespace kernelmill
