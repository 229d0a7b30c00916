#include "stages/verify/judge/cpu_judge.h"

#include <memory>

#include "stages/verify/build/device_compiler.h"
#include "stages/verify/build/device_report.h"
#include "stages/verify/build/extension_build.h"

namespace kernelmill {
namespace {

Result<InstrumentedBuild> Instrumented(const std::shared_ptr<const ExtensionCache>& cache,
                                       BuildKind kind) {
  KM_ASSIGN(const CudaRuntime runtime, cache->Runtime(kind));
  return InstrumentedBuild{[cache, runtime](const ExtensionSources& sources) {
                             return BuildExtension(sources, *cache, runtime);
                           },
                           runtime.python_folder, runtime.environment, runtime.key};
}

}  // namespace

Result<JudgeOptions> PrepareJudging(const JudgingChoice& choice) {
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
  options.compile_for_device = [device](const ExtensionSources& sources) {
    return CompileForDevice(sources, device);
  };
  for (const auto& [wanted, kind] :
       {std::pair(choice.memory, BuildKind::kMemory), std::pair(choice.races, BuildKind::kRaces)}) {
    if (!wanted) continue;
    KM_ASSIGN(InstrumentedBuild build, Instrumented(cache, kind));
    options.sanitizers.push_back(std::move(build));
  }
  if (choice.count) {
    KM_ASSIGN(options.counting, Instrumented(cache, BuildKind::kCounts));
  }
  return options;
}

}  // namespace kernelmill
