#include "stages/render/split.h"

#include "corpora/benchmark_table.h"
#include "corpora/records/task.h"
#include "manifests/digest.h"

namespace kernelmill {

std::string SplitOf(const Record& subject, const std::string& salt, double share) {
  std::string unit;
  for (const Origin& origin : subject.origins) {
    if (!origin.mined()) continue;
    if (unit.empty() || origin.blob < unit) unit = origin.blob;
  }
  const auto pattern = subject.attributes.find(kPatternAttribute);
  // The pattern of a supplied task is longer than a fingerprint.
  if (unit.empty() && pattern != subject.attributes.end()) {
    unit = pattern->second.as_string().substr(0, kFingerprintDigits);
  }
  if (unit.empty()) unit = subject.ContentId().Hex();
  const std::uint64_t hash = Sha256().Field(salt).Field(unit).Finish().Prefix64();
  const double position = static_cast<double>(hash >> 11) * 0x1p-53;
  return position < share ? "validation" : "train";
}

}  // namespace kernelmill
