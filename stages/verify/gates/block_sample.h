// The blocks of each launch that run where all of them would take too long: what the option
// "sample" of the executor says (LaunchSample in stages/cuda_executor/runtime/launch_sample.h).
#pragma once

#include <cstdint>
#include <optional>

#include "manifests/json.h"

namespace kernelmill {

// The memory of a run in which tensors have the task's own sizes, in bytes.
inline constexpr std::int64_t kOwnSizeMemory = std::int64_t{8} << 30;

struct BlockSample {
  std::int64_t threads = 1;  // At most so many run, but at least four blocks.
  std::int64_t part = 1;     // At most one in so many blocks runs.
  std::uint64_t seed = 0;
  std::uint8_t fill = 0;       // The byte that memory holds before the first block.
  Json::Array filled;          // Which memory: [[number of an allocation, bytes of an element], …].
  bool touched_pages = false;  // Only the pages that blocks touch are filled.
  std::optional<std::int64_t> launches;  // No block of later launches runs.

  Json ToJson() const {
    Json::Object json{{"threads", threads},
                      {"part", part},
                      {"seed", static_cast<std::int64_t>(seed >> 1)},
                      {"fill", static_cast<std::int64_t>(fill)},
                      {"filled", filled},
                      {"touched_pages", touched_pages}};
    if (launches) json["launches"] = *launches;
    return json;
  }
};

}  // namespace kernelmill
