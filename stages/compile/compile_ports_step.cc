#include "stages/compile/compile_ports_step.h"

#include <optional>
#include <set>

#include "corpora/records/kernel_port.h"
#include "stages/engine/subject_records.h"
#include "stages/verify/build/device_report.h"

namespace kernelmill {
namespace {

// The compiler is opened with the first port: most runs have none.
struct CompileLane : Lane {
  std::optional<DeviceCompiler> compiler;
};

// Why the kernels of the code, whose names are `wanted`, were not all compiled; "" if they were.
Result<std::string> WhyNotCompiled(const std::string& code, const std::vector<std::string>& wanted,
                                   const KernelBackend& backend, const DeviceCompiler& compiler,
                                   std::int64_t* kernels) {
  ExtensionSources sources;
  sources.name = "port";
  sources.cuda_sources = {code};
  sources.backend = &backend;
  KM_ASSIGN(const DeviceReport report, CompileForDevice(sources, compiler));
  *kernels += static_cast<std::int64_t>(report.facts.kernels.size());
  const std::string title(backend.title);
  if (!report.refused.empty()) {
    return title + ": " + report.refused.substr(0, report.refused.find('\n'));
  }
  if (!report.facts.unchecked.empty()) return title + ": " + report.facts.unchecked.front();
  // A template without arguments compiles to nothing.
  std::set<std::string> compiled;
  for (const VerdictDeviceKernel& kernel : report.facts.kernels) {
    const std::string name = kernel.kernel.substr(0, kernel.kernel.find('<'));
    const std::size_t scope = name.rfind(':');
    compiled.insert(scope == name.npos ? name : name.substr(scope + 1));
  }
  for (const std::string& name : wanted) {
    if (compiled.contains(name)) continue;
    return title + ": `" + name + "` is a template that no launch gives arguments";
  }
  return std::string();
}

}  // namespace

Result<std::unique_ptr<Lane>> CompilePortsStep::OpenLane() {
  return std::unique_ptr<Lane>(std::make_unique<CompileLane>());
}

Result<Outcome> CompilePortsStep::Process(const Input& input, Lane& lane) {
  KM_ASSIGN(const std::vector<Record> records, ReadSubjectRecords(input.body));
  if (records.size() != 1 || records.front().kind != RecordKind::kPort) {
    return Status(ErrorCode::kInternal, "compile_ports: the input is not one port");
  }
  const Record& record = records.front();
  KM_ASSIGN(const KernelPort port, KernelPort::FromJson(record.payload));
  auto& own = static_cast<CompileLane&>(lane);
  if (!own.compiler) {
    KM_ASSIGN(const ExtensionCache cache, ExtensionCache::Open(ExtensionCache::DefaultFolder()));
    KM_ASSIGN(own.compiler, DeviceCompiler::Open(cache));
  }
  std::int64_t kernels = 0;
  KM_ASSIGN(std::string refused,
            WhyNotCompiled(port.code, port.kernels, kCudaBackend, *own.compiler, &kernels));
  if (refused.empty()) {
    KM_ASSIGN(refused,
              WhyNotCompiled(port.port_code, port.port_kernels,
                             *FindKernelBackend(port.port_backend), *own.compiler, &kernels));
  }
  if (!refused.empty()) {
    Outcome outcome = Outcome::Reject("port_not_compiled", refused, port.code + port.port_code);
    outcome.origins = record.origins;
    return outcome;
  }
  Outcome outcome = Outcome::Keep({{std::string(record.ContentId().AsKey()), record.Encode()}});
  outcome.counters = {{"kernels", kernels}};
  return outcome;
}

}  // namespace kernelmill
