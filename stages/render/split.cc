#include "stages/render/split.h"

#include "manifests/digest.h"

namespace kernelmill {

std::string SplitOf(const std::vector<Origin>& origins, const std::string& salt, double share) {
  std::string unit;
  for (const Origin& origin : origins) {
    if (unit.empty() || origin.blob < unit) unit = origin.blob;
  }
  const std::uint64_t hash = Sha256().Field(salt).Field(unit).Finish().Prefix64();
  const double position = static_cast<double>(hash >> 11) * 0x1p-53;
  return position < share ? "validation" : "train";
}

}  // namespace kernelmill
