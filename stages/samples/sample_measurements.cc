#include "stages/samples/sample_measurements.h"

#include <filesystem>

#include "manifests/commit_file.h"
#include "parsers/samples/message_code.h"

namespace kernelmill {

Result<SampleMeasurements> SampleMeasurements::Of(const Config& config) {
  SampleMeasurements measurements;
  const std::string path = config.Path(kMeasurementsKey);
  if (path.empty()) return measurements;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return Status(ErrorCode::kConfig, std::string(kMeasurementsKey) + ": " + path +
                                          " is no file; `verify --device cuda` writes " +
                                          kMeasurementsName);
  }
  KM_ASSIGN(const std::string text, ReadFile(path));
  Result<AnswerMeasurements> found = AnswerMeasurementsIn(text, path);
  if (!found.ok()) return found.status().Within(kMeasurementsKey);
  measurements.by_answer_ = *std::move(found);
  measurements.digest_ = DigestOf(text);
  return measurements;
}

std::optional<Digest> SampleMeasurements::IdOf(const std::string& reference, const Sample& sample) {
  const std::optional<std::string> code = CodeOfSample(sample);
  if (!code) return std::nullopt;
  return AnswerId(reference, sample.backend, *code);
}

const Measurement* SampleMeasurements::Find(const std::string& reference,
                                            const Sample& sample) const {
  if (empty()) return nullptr;
  const std::optional<Digest> id = IdOf(reference, sample);
  const auto found = id ? by_answer_.find(*id) : by_answer_.end();
  return found == by_answer_.end() ? nullptr : &found->second;
}

}  // namespace kernelmill
