// The interface of a device that answers are timed on. GpuDevice (gpu_device.h) is a real one.
#pragma once

#include <cstdint>
#include <string>

#include "corpora/kernel_backend.h"
#include "corpora/records/measurement.h"
#include "manifests/status.h"

namespace kernelmill {

// An answer that the CPU judge has found correct.
struct MeasuredAnswer {
  std::string reference;  // Python in the KernelBench convention.
  std::string code;       // The answer's Python.
  const KernelBackend* backend = &kCudaBackend;
  bool training = true;    // Models stay in the mode that they are made in; false: eval().
  std::uint64_t seed = 0;  // Of the inputs.
  // The absolute and relative tolerance of outputs in float32, and in half precision.
  double tolerance = 1e-4, half_tolerance = 1e-2;
};

class MeasuringDevice {
 public:
  virtual ~MeasuringDevice() = default;
  virtual const DeviceIdentity& Identity() const = 0;
  // Builds the answer, compares it with the reference on the device, and times both. Several
  // threads may call it: builds run side by side, and one answer at a time has a device. A Status
  // that is not ok is a failure of this program or of the machine, and says nothing of the answer.
  virtual Result<Measurement> Measure(const MeasuredAnswer& answer) = 0;
};

}  // namespace kernelmill
