// What a candidate is judged with.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "corpora/kernel_backend.h"
#include "stages/verify/build/device_check.h"
#include "stages/verify/build/extension.h"
#include "stages/verify/build/extension_build.h"
#include "stages/verify/judge/judge_workers.h"
#include "stages/verify/legality/policy.h"
#include "stages/worker/torch_worker.h"

namespace kernelmill {

// Makes a library of a candidate's sources.
using ExtensionBuilder = std::function<Result<BuiltExtension>(const ExtensionSources&)>;

// What a compiler for devices says of the kernels in them.
using DeviceChecker = std::function<Result<DeviceCheck>(const ExtensionSources&)>;

// The same kernels with checks of every access, slower.
struct CheckedBuild {
  ExtensionBuilder build;
  std::string python_folder;  // Where that worker finds its km_cuda.
  // Its worker is started with this; where it is empty, the candidates' worker will do.
  std::vector<std::pair<std::string, std::string>> environment;
  std::string executor;  // As below.
};

struct JudgeOptions {
  const VerifyPolicy* policy = nullptr;
  const KernelBackend* backend = &kCudaBackend;
  std::uint64_t seed = 42;  // Of the trials' inputs. Parameters have KernelBench's own seed.
  bool training = true;     // Whether models stay in the mode that they are made in.
  // Of one run of a candidate: all trials at one set of sizes. Processor time decides, so that a
  // loaded machine says what an idle one says.
  WorkerLimits limits = {.wall_ms = 60'000, .cpu_ms = 30'000};
  ExtensionBuilder build;
  DeviceChecker check_device;        // None: nothing is said of devices.
  std::vector<std::string> folders;  // What a candidate's process may read: where libraries lie.
  std::string python_folder;         // Where it finds km_cuda.
  // Names all that kernels are compiled with and run by (CudaRuntime::key); part of a verdict's
  // key.
  std::string executor;
  // What is right runs once more under the eyes of each: the gate "sanitize".
  std::vector<CheckedBuild> checks;
  // What is right and runs here too brings the counts of its launches.
  std::optional<CheckedBuild> counting;
  // Shared with other judges of the same thread; null: its own.
  std::shared_ptr<JudgeWorkers> workers;
};

}  // namespace kernelmill
