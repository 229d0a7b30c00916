// The devices of which the peak rates are known. An analysis, or reasoning about a design, gives
// its times for one of them, which its question names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kernelmill {

// A device's peak rates in FP32 without matrix units, and of its memory, from the vendors' data
// sheets (A100 with 40 GB, H100 SXM). The L2 cache of an A100 delivers 5120 bytes a cycle (NVIDIA
// A100 Tensor Core GPU Architecture).
struct KnownDevice {
  std::string_view maker;  // "NVIDIA"
  std::string_view name;   // "A100", which the article "an" can precede.
  std::string_view peaks;  // "1.56 TB/s, 19.5 TFLOP/s in FP32"
  std::string_view peaks_in_chinese;
  double bandwidth = 0;              // Bytes per second.
  double flops = 0;                  // Per second.
  std::int64_t multiprocessors = 0;  // 0 where the data sheet does not say it, as in the next ones.
  double cache_bandwidth = 0;        // Of the L2 cache, in bytes per second.
  double clock = 0;                  // In hertz; a multiprocessor makes one pass a cycle.
  std::string_view cache_rate;       // "7.2 TB/s"

  // The FLOPs per byte from which on arithmetic takes longer than memory.
  double Ridge() const { return flops / bandwidth; }
};

// Those of the backend; the first one is the device for whose architecture occupancy is known.
const std::vector<KnownDevice>& KnownDevicesOf(std::string_view backend);
inline const KnownDevice& KnownDeviceOf(std::string_view backend) {
  return KnownDevicesOf(backend).front();
}
// The one that the text names, or else the first.
const KnownDevice& DeviceNamedIn(std::string_view text, std::string_view backend);

}  // namespace kernelmill
