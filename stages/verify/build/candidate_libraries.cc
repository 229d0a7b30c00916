#include "stages/verify/build/candidate_libraries.h"

#include <filesystem>
#include <iterator>
#include <utility>
#include <vector>

#include "stages/verify/legality/allowed_symbols.h"
#include "stages/verify/legality/library_symbols.h"
#include "stages/verify/legality/native_text.h"
#include "stages/verify/legality/other_uses.h"

namespace kernelmill {
namespace {

CandidateFault Illegal(const std::string& reason, const std::string& detail) {
  return {VerdictStatus::kIllegal, reason, GateId::kLegality, detail, std::nullopt, 0};
}
CandidateFault Ended(VerdictStatus status, const std::string& reason, const std::string& detail) {
  return {status, reason, GateId::kCompile, detail, std::nullopt, 0};
}

}  // namespace

Result<std::optional<CandidateFault>> CandidateLibraries::Build(const std::string& hash,
                                                                const ExtensionSources& asked,
                                                                std::string_view python) {
  ExtensionSources sources = asked;
  sources.vendor_libraries = !options_.policy->has_rules;
  if (std::optional<CandidateFault> refused = RefuseText(sources)) return refused;
  KM_ASSIGN(const BuiltExtension built, options_.build(sources));
  if (!built.ok) {
    if (built.reason == "unsupported_feature") {
      return std::optional(Ended(VerdictStatus::kUnsupported, "feature", built.log));
    }
    // Under KernelBench's policy an answer continues without the extension if it catches the error.
    if (!failure_) failure_ = built;
    // What the compiler for devices refuses too, it says in words that the answer's author knows.
    if (built.reason == "compile_error" && options_.policy->has_rules) {
      KM_ASSIGN(const std::optional<CandidateFault> by_device, CompileOnDevice(sources));
      if (by_device) failure_->log = by_device->detail;
    }
    if (options_.policy->has_rules) return failure();
    libraries_[hash] = {"", false, built.log};
    return std::optional<CandidateFault>();
  }
  KM_ASSIGN(std::optional<CandidateFault> refused, CompileOnDevice(sources));
  if (refused) return refused;
  sources_[hash] = sources;
  libraries_[hash] = {built.library.string(), built.has_torch_library, ""};
  if (!options_.policy->has_rules) return std::optional<CandidateFault>();
  KM_ASSIGN(LibraryImports imports, ImportsOf(built.library.string()));
  const std::filesystem::path host = built.library.parent_path() / kHostLibrary;
  if (std::filesystem::exists(host)) {
    KM_ASSIGN(const LibraryImports on_host, ImportsOf(host.string()));
    imports.symbols.insert(imports.symbols.end(), on_host.symbols.begin(), on_host.symbols.end());
    imports.types.insert(imports.types.end(), on_host.types.begin(), on_host.types.end());
  }
  if (const std::optional<std::string> forbidden = ForbiddenImport(imports)) {
    return std::optional(
        Illegal("forbidden_symbol", "the extension " + sources.name + " " + *forbidden));
  }
  const std::vector<VerdictFinding> expanded = RefusedInText(built.host_text, "");
  if (!expanded.empty()) {
    return std::optional(Illegal(expanded.front().reason,
                                 "as the host's compiler gets it, with macros expanded and without "
                                 "__CUDA_ARCH__, the text of the extension " +
                                     sources.name + " " + expanded.front().detail));
  }
  if (options_.policy->operators != OperatorRule::kStrict) return std::optional<CandidateFault>();
  // The symbols also show calls in branches that no run takes, and calls by names that do not occur
  // in the text.
  const OtherUses other_uses(sources, CalledNames(python));
  for (const ImportedSymbol& symbol : imports.symbols) {
    const std::string name = OperatorOfSymbol(symbol.name);
    if (name.empty() || !AlwaysComputes(name) || other_uses.Explain(name)) continue;
    return std::optional(
        Illegal("torch_compute", "the extension " + sources.name + " calls " + name));
  }
  return std::optional<CandidateFault>();
}

std::optional<CandidateFault> CandidateLibraries::RefusedLaunch(
    const std::vector<CandidateTrial>& trials) const {
  for (std::size_t i = 0; i < trials.size(); ++i) {
    for (const VerdictLaunch& launch : trials[i].launches) {
      const std::optional<std::string> refusal = RefusalOfLaunch(device_, bounds_, launch);
      if (!refusal) continue;
      const std::string detail =
          "the device refuses the launch of " + launch.kernel + ": " + *refusal;
      return CandidateFault{VerdictStatus::kCrashed,
                            "launch_limit",
                            GateId::kCorrectness,
                            detail,
                            VerdictFinding{"launch_limit", "", 0, detail},
                            i};
    }
  }
  return std::nullopt;
}

std::optional<CandidateFault> CandidateLibraries::failure() const {
  if (!failure_) return std::nullopt;
  return Ended(VerdictStatus::kNotBuilt, failure_->reason, failure_->log);
}

Result<std::optional<std::map<std::string, LoadedLibrary>>> CandidateLibraries::BuildWith(
    const InstrumentedBuild& build) const {
  std::map<std::string, LoadedLibrary> libraries = libraries_;
  for (const auto& [hash, sources] : sources_) {
    KM_ASSIGN(const BuiltExtension built, build.build(sources));
    if (!built.ok) return std::optional<std::map<std::string, LoadedLibrary>>();
    // Macros tell the builds apart, so this one may import what the other does not.
    KM_ASSIGN(const LibraryImports imports, ImportsOf(built.library.string()));
    if (options_.policy->has_rules && ForbiddenImport(imports)) {
      return std::optional<std::map<std::string, LoadedLibrary>>();
    }
    libraries[hash].path = built.library.string();
  }
  return std::optional(std::move(libraries));
}

std::optional<CandidateFault> CandidateLibraries::RefuseText(
    const ExtensionSources& sources) const {
  if (!options_.policy->has_rules) return std::nullopt;
  const std::vector<VerdictFinding> refused = RefusedInSources(sources);
  if (refused.empty()) return std::nullopt;
  CandidateFault fault = Illegal(refused.front().reason, refused.front().detail);
  fault.finding = refused.front();
  return fault;
}

Result<std::optional<CandidateFault>> CandidateLibraries::CompileOnDevice(
    const ExtensionSources& sources) {
  if (!options_.compile_for_device) return std::optional<CandidateFault>();
  KM_ASSIGN(DeviceReport report, options_.compile_for_device(sources));
  device_.compiler = report.facts.compiler;
  device_.architecture = report.facts.architecture;
  device_.renamed = report.facts.renamed;
  for (VerdictDeviceKernel& kernel : report.facts.kernels) {
    for (const LaunchBound& bound : report.bounds) {
      if (bound.kernel == kernel.kernel) bounds_[device_.kernels.size()] = bound.threads;
    }
    device_.kernels.push_back(std::move(kernel));
  }
  std::move(report.facts.unchecked.begin(), report.facts.unchecked.end(),
            std::back_inserter(device_.unchecked));
  if (report.refused.empty()) return std::optional<CandidateFault>();
  return std::optional(Ended(VerdictStatus::kNotBuilt, "device_compile_error", report.refused));
}

}  // namespace kernelmill
