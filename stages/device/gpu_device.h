// The GPUs of this machine, as a MeasuringDevice: builds answers with nvcc and the host's compiler,
// as many at once as threads ask, and runs them one at a time on each GPU. Other kernelmill
// processes of this checkout wait for a GPU too; other programs are seen by the load that they
// cause (Measurement::IsDisturbed()).
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "manifests/passing_folder.h"
#include "stages/device/device_process.h"
#include "stages/device/measuring_device.h"

namespace kernelmill {

struct GpuDeviceOptions {
  // "cuda"; or "cpu", which stands in for it where there is none: extensions without device sources
  // are built and run on the processor.
  std::string device = "cuda";
  // The folder for builds while they last, and for the locks of the GPUs.
  std::filesystem::path folder;
  // Measure the reference under torch.compile too: once a task, about half a minute.
  bool compiled = false;
  std::int64_t budget_ms = 1'000;  // Of timed calls of an answer, and of its reference.
  // Of all that a process builds, of its time on the device, and of that time for torch.compile.
  std::chrono::seconds build_limit{600}, run_limit{120}, compile_limit{300};

  // .cache/device below the checkout.
  static std::filesystem::path DefaultFolder();
};

class GpuDevice : public MeasuringDevice {
 public:
  // Asks for the device's properties and precompiles headers, which takes up to half a minute.
  // kEnvironment, with what is missing, when there is no GPU, nvcc, or torch for CUDA.
  static Result<std::unique_ptr<GpuDevice>> Open(GpuDeviceOptions options);
  ~GpuDevice() override;

  const DeviceIdentity& Identity() const override { return identity_; }
  Result<Measurement> Measure(const MeasuredAnswer& answer) override;

 private:
  GpuDevice(GpuDeviceOptions options, PassingFolder headers);
  Json Request(std::string_view kind) const;
  // Asks for the device's properties, and fills headers_.
  Status Describe();
  class Seat;

  // Starts a process, which may write to the folder `writable`, and lets it run on a GPU when it
  // has built what it needs and the GPU is free. Others have the GPU while it builds what it asks
  // for there.
  Result<Json> RunOnDevice(const Json& request, const std::string& writable,
                           std::chrono::seconds limit);
  // The reference under torch.compile, or why there are no times.
  struct Baseline {
    std::optional<TimeSpread> times;
    std::string error;
  };
  Result<Baseline> CompiledTimes(const MeasuredAnswer& answer);

  const GpuDeviceOptions options_;
  const PassingFolder headers_;  // What each build begins with, precompiled for the host.
  DeviceIdentity identity_;
  Json capability_;
  std::string compiler_, nvcc_;
  std::mutex mutex_;         // Of what follows.
  std::vector<int> seated_;  // The processes of each GPU, those that wait for it included.
  std::map<std::string, Baseline> compiled_;  // By the digest of the reference and its mode.
};

}  // namespace kernelmill
