#include "generators/reasoning/known_device.h"

#include "corpora/kernel_backend.h"

namespace kernelmill {

const std::vector<KnownDevice>& KnownDevicesOf(std::string_view backend) {
  static const std::vector<KnownDevice> kNvidia = {
      {"NVIDIA", "A100", "1.56 TB/s, 19.5 TFLOP/s in FP32",
       "带宽 1.56 TB/s，FP32 算力 19.5 TFLOP/s", 1.56e12, 19.5e12, 108, 5120 * 1.41e9, 1.41e9,
       "7.2 TB/s"},
      {"NVIDIA", "H100", "3.35 TB/s, 67 TFLOP/s in FP32", "带宽 3.35 TB/s，FP32 算力 67 TFLOP/s",
       3.35e12, 67e12, 132, 0, 0, ""},
      {"NVIDIA", "L40S", "864 GB/s, 91.6 TFLOP/s in FP32", "带宽 864 GB/s，FP32 算力 91.6 TFLOP/s",
       864e9, 91.6e12, 142, 0, 0, ""},
      {"NVIDIA", "RTX 4090", "1008 GB/s, 82.6 TFLOP/s in FP32",
       "带宽 1008 GB/s，FP32 算力 82.6 TFLOP/s", 1008e9, 82.6e12, 128, 0, 0, ""},
  };
  static const std::vector<KnownDevice> kMoore = {
      {"Moore Threads", "MTT S4000", "768 GB/s, 25 TFLOP/s in FP32",
       "带宽 768 GB/s，FP32 算力 25 TFLOP/s", 768e9, 25e12, 0, 0, 0, ""},
      {"Moore Threads", "MTT S80", "448 GB/s, 14.4 TFLOP/s in FP32",
       "带宽 448 GB/s，FP32 算力 14.4 TFLOP/s", 448e9, 14.4e12, 0, 0, 0, ""},
  };
  return backend == kMusaBackend.name ? kMoore : kNvidia;
}

const KnownDevice& DeviceNamedIn(std::string_view text, std::string_view backend) {
  for (const KnownDevice& device : KnownDevicesOf(backend)) {
    if (text.find(device.name) != text.npos) return device;
  }
  return KnownDeviceOf(backend);
}

}  // namespace kernelmill
