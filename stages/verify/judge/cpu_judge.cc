#include "stages/verify/judge/cpu_judge.h"

#include <memory>

#include "stages/verify/build/device_check.h"
#include "stages/verify/build/device_compiler.h"
#include "stages/verify/build/extension_build.h"

namespace kernelmill {
namespace {

Result<CheckedBuild> Checked(const std::shared_ptr<const ExtensionCache>& cache, BuildKind kind) {
  KM_ASSIGN(const CudaRuntime runtime, cache->Runtime(kind));
  return CheckedBuild{[cache, runtime](const ExtensionSources& sources) {
                        return BuildExtension(sources, *cache, runtime);
                      },
                      runtime.python_folder, runtime.environment, runtime.key};
}

}  // namespace

Result<JudgeOptions> CpuJudge(const CpuJudgeChoice& choice) {
  JudgeOptions options;
  KM_ASSIGN(options.policy, FindVerifyPolicy(choice.policy));
  options.backend = choice.backend;
  options.seed = choice.seed;
  options.training = choice.training;
  KM_ASSIGN(const ExtensionCache opened, ExtensionCache::Open(ExtensionCache::DefaultFolder()));
  const auto cache = std::make_shared<const ExtensionCache>(opened);
  KM_ASSIGN(const CudaRuntime runtime, cache->Runtime());
  options.python_folder = runtime.python_folder;
  KM_ASSIGN(const DeviceCompiler device, DeviceCompiler::Open(*cache));
  options.executor = runtime.key + " " + device.key();
  options.folders = {cache->folder()};
  options.build = [cache, runtime](const ExtensionSources& sources) {
    return BuildExtension(sources, *cache, runtime);
  };
  options.check_device = [device](const ExtensionSources& sources) {
    return CheckDeviceCode(sources, device);
  };
  for (const auto& [wanted, kind] :
       {std::pair(choice.memory, BuildKind::kMemory), std::pair(choice.races, BuildKind::kRaces)}) {
    if (!wanted) continue;
    KM_ASSIGN(CheckedBuild checked, Checked(cache, kind));
    options.checks.push_back(std::move(checked));
  }
  if (choice.count) {
    KM_ASSIGN(options.counting, Checked(cache, BuildKind::kCounts));
  }
  return options;
}

}  // namespace kernelmill
