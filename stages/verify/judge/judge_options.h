// The options of a judge: how candidates are judged, by which builds and in which workers, as far
// as it does not depend on the candidate.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "corpora/kernel_backend.h"
#include "corpora/records/task_contract.h"
#include "stages/verify/build/device_report.h"
#include "stages/verify/build/extension.h"
#include "stages/verify/build/extension_build.h"
#include "stages/verify/judge/judge_workers.h"
#include "stages/verify/legality/policy.h"
#include "stages/worker/torch_worker.h"

namespace kernelmill {

// Builds a library from a candidate's sources. A Status that is not ok is never the candidate's
// fault.
using ExtensionBuilder = std::function<Result<BuiltExtension>(const ExtensionSources&)>;

// Compiles the kernels in a candidate's sources for a device, without running them.
using DeviceReporter = std::function<Result<DeviceReport>(const ExtensionSources&)>;

// Another build of the same kernels, in which every memory access is instrumented. It runs slower.
struct InstrumentedBuild {
  ExtensionBuilder build;
  std::string python_folder;  // Where its worker finds the module km_cuda.
  // Environment variables that its worker is started with. Without any, the worker for candidates
  // is used.
  std::vector<std::pair<std::string, std::string>> environment;
  std::string executor;  // As JudgeOptions::executor.
};

struct JudgeOptions {
  const VerifyPolicy* policy = nullptr;
  const KernelBackend* backend = &kCudaBackend;
  const DeviceTarget* target = nullptr;  // Of the backend; null for its default.
  TaskContract contract;
  // Seed of the trials' inputs and of the order of threads. Parameters have KernelBench's own seed.
  std::uint64_t seed = 42;
  // If it is not empty, these follow from the seed, this secret and the task, and one trial from the
  // candidate's text too (judging_secret.h).
  std::string secret;
  bool training = true;     // Models stay in the mode that they are made in; false: eval().
  // The limits of one run of a candidate with up to three trials at one set of sizes; they grow
  // with more trials (Examination::Run()). Processor time is the narrower limit, so that a loaded
  // machine gives the same verdict as an idle one.
  WorkerLimits limits = {.idle_ms = 60'000, .cpu_ms = 30'000};
  // The processor time that forward() at the task's own sizes may take, where the trials have
  // smaller sizes. If it is expected to take longer, it does not run whole there.
  std::int64_t own_size_cpu_ms = 0;
  ExtensionBuilder build;
  DeviceReporter compile_for_device;  // May be empty: then verdicts say nothing about devices.
  std::vector<std::string> folders;   // Folders that a candidate's process may read, for its
                                      // libraries.
  std::string python_folder;          // The folder in which that process finds the module km_cuda.
  // Identifies everything that compiles and runs the kernels (CudaRuntime::key). It is part of a
  // verdict's key in the store.
  std::string executor;
  // The builds of the gate "sanitize". In each of them a candidate runs at two sets of sizes, if it
  // is right, or if it ended where the cause may be hidden (Gate::has_hidden_causes).
  std::vector<InstrumentedBuild> sanitizers;
  // A right candidate runs once more in this build, and the counts of its launches go into the
  // verdict.
  std::optional<InstrumentedBuild> counting;
  // Worker processes, shared with other judges of the same thread; null: the judge starts its own.
  std::shared_ptr<JudgeWorkers> workers;

  const DeviceTarget& device_target() const {
    return target != nullptr ? *target : backend->targets.front();
  }
};

}  // namespace kernelmill
