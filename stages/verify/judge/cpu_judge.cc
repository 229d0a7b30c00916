#include "stages/verify/judge/cpu_judge.h"

#include <future>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "stages/verify/build/device_compiler.h"
#include "stages/verify/build/device_report.h"
#include "stages/verify/build/extension_build.h"

namespace kernelmill {
namespace {

using Cache = std::shared_ptr<const ExtensionCache>;

// The runtimes of some kinds of build. Where the cache does not have them, they are built side by
// side: what is of one kind alone takes a minute of one core.
Result<std::map<BuildKind, CudaRuntime>> Runtimes(const Cache& cache,
                                                  const std::vector<BuildKind>& kinds) {
  std::map<BuildKind, std::future<Result<CudaRuntime>>> building;
  for (const BuildKind kind : kinds) {
    building[kind] = std::async(std::launch::async, [cache, kind] { return cache->Runtime(kind); });
  }
  std::map<BuildKind, CudaRuntime> runtimes;
  for (auto& [kind, future] : building) {
    KM_ASSIGN(runtimes[kind], future.get());
  }
  return runtimes;
}

InstrumentedBuild Instrumented(const Cache& cache, const CudaRuntime& runtime) {
  return {[cache, runtime](const ExtensionSources& sources) {
            return BuildExtension(sources, *cache, runtime);
          },
          runtime.python_folder, runtime.environment, runtime.key};
}

}  // namespace

Result<std::string> ExecutorKey() {
  KM_ASSIGN(const ExtensionCache cache, ExtensionCache::Open(ExtensionCache::DefaultFolder()));
  KM_ASSIGN(const std::string sources, cache.SourcesKey());
  KM_ASSIGN(const DeviceCompiler device, DeviceCompiler::Open(cache));
  return sources + " " + device.key();
}

Result<JudgeOptions> PrepareJudging(const JudgingChoice& choice) {
  JudgeOptions options;
  KM_ASSIGN(options.policy, FindVerifyPolicy(choice.policy));
  options.backend = choice.backend;
  if (!choice.target.empty()) {
    KM_ASSIGN(options.target, choice.backend->TargetNamed(choice.target));
  }
  options.seed = choice.seed;
  options.secret = choice.secret;
  options.training = choice.training;
  options.own_size_cpu_ms = choice.own_size_cpu_ms;
  options.contract = choice.contract;
  KM_ASSIGN(const ExtensionCache opened, ExtensionCache::Open(ExtensionCache::DefaultFolder()));
  const Cache cache = std::make_shared<const ExtensionCache>(opened);
  std::vector<BuildKind> kinds = {BuildKind::kPlain};
  if (choice.memory) kinds.push_back(BuildKind::kMemory);
  if (choice.races) kinds.push_back(BuildKind::kRaces);
  if (choice.count) kinds.push_back(BuildKind::kCounts);
  KM_ASSIGN(const auto runtimes, Runtimes(cache, kinds));
  const CudaRuntime& runtime = runtimes.at(BuildKind::kPlain);
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
  for (const BuildKind kind : {BuildKind::kMemory, BuildKind::kRaces}) {
    if (!runtimes.contains(kind)) continue;
    options.sanitizers.push_back(Instrumented(cache, runtimes.at(kind)));
  }
  if (choice.count) options.counting = Instrumented(cache, runtimes.at(BuildKind::kCounts));
  return options;
}

}  // namespace kernelmill
