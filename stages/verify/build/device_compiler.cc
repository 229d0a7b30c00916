#include "stages/verify/build/device_compiler.h"

#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include "manifests/commit_file.h"
#include "manifests/digest.h"
#include "manifests/json_fields.h"
#include "stages/verify/build/compiler_sandbox.h"
#include "stages/verify/build/cuda_toolchain.h"
#include "stages/worker/sandbox.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

constexpr char kProgram[] = "/km/front_end";
constexpr char kToolkit[] = "/km/cuda";
constexpr int kSeconds = 60;
// Ends the log of one source; the status follows.
constexpr std::string_view kEndMark = "\n@@kernelmill ";

// Headers of the C++ library that NVRTC lacks. device_prelude.h declares what kernels use of them.
constexpr std::array<std::string_view, 30> kStandardHeaders = {
    "algorithm", "array",    "bit",        "bitset",   "cassert",     "cfloat",
    "climits",   "cmath",    "complex",    "cstddef",  "cstdint",     "cstdlib",
    "cstring",   "float.h",  "functional", "iterator", "limits",      "limits.h",
    "math.h",    "numbers",  "numeric",    "optional", "span",        "stdint.h",
    "stdlib.h",  "string.h", "tuple",      "utility",  "type_traits", "variant"};

std::vector<std::string> Options(bool whole_library, const std::string& language) {
  std::vector<std::string> options = {
      std::string("--gpu-architecture=") + DeviceCompiler::kArchitecture,
      "--std=" + language,
      "-Dregister=",  // `register` was removed in C++17; nvcc only warns.
      "--ptxas-options=--verbose",
      "--disable-warnings",
      std::string("--include-path=") + kProgram + "/include",
      std::string("--include-path=") + kToolkit + "/include",
      std::string("--include-path=") + kToolkit + "/include/cccl"};
  if (whole_library) options.push_back("-DKERNELMILL_WHOLE_LIBRARY");
  options.push_back(std::string("--pre-include=") + kProgram + "/include/device_prelude.h");
  return options;
}

// The wheel's version, from the name of its folder: nvidia_cuda_nvrtc-13.5.37.dist-info.
std::string VersionIn(const fs::path& packages) {
  constexpr std::string_view kStem = "nvidia_cuda_nvrtc-", kEnd = ".dist-info";
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(packages, error)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(kStem) && name.ends_with(kEnd)) {
      return name.substr(kStem.size(), name.size() - kStem.size() - kEnd.size());
    }
  }
  return {};
}

Status WriteHeaders(const fs::path& folder, const std::string& prelude) {
  KM_RETURN_IF_ERROR(MakeFolders(folder));
  KM_RETURN_IF_ERROR(ReplaceFile(folder / "device_prelude.h", prelude));
  for (std::string_view name : kStandardHeaders) {
    KM_RETURN_IF_ERROR(ReplaceFile(folder / name, "#pragma once\n"));
  }
  return Status::Ok();
}

// Reads a cache entry. Returns false if it is missing or damaged; it is then made again.
bool ReadEntry(const fs::path& path, DeviceCompilation* result) {
  const Result<std::string> text = ReadFile(path);
  if (!text.ok()) return false;
  const Result<Json> json = Json::Parse(*text);
  if (!json.ok()) return false;
  JsonFields fields(*json, "what a device compiler says");
  fields.Read("ok", &result->ok);
  fields.Read("log", &result->log);
  return fields.Finish().ok();
}

}  // namespace

Result<DeviceCompiler> DeviceCompiler::Open(const ExtensionCache& cache) {
  DeviceCompiler compiler;
  const fs::path packages = cache.toolchain().torch_folder().parent_path();
  compiler.toolkit_ = packages / "nvidia" / "cu13";
  compiler.folder_ = cache.folder();
  const std::string version = VersionIn(packages);
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(compiler.toolkit_ / "lib", error)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("libnvrtc.so")) compiler.library_ = std::string(kToolkit) + "/lib/" + name;
  }
  if (compiler.library_.empty() || version.empty()) {
    return Status(ErrorCode::kEnvironment,
                  packages.string() + " holds no NVRTC: run ./kernelmill setup");
  }
  compiler.version_ = "nvrtc " + version;
  const fs::path ours = CheckoutRoot() / "stages" / "verify" / "build" / "device_front_end";
  KM_ASSIGN(const std::string program, ReadFile(ours / "compile_device.cc"));
  KM_ASSIGN(const std::string prelude, ReadFile(ours / "device_prelude.h"));
  Sha256 hash;
  hash.Field("device compiler 3").Field(version).Field(program).Field(prelude);
  for (std::string_view name : kStandardHeaders) hash.Field(name);
  for (const std::string& option : Options(false, {})) hash.Field(option);
  compiler.key_ = hash.Finish().Hex().substr(0, 32);
  KM_ASSIGN(compiler.program_,
            cache.Entry("nvrtc-" + compiler.key_, [&](const fs::path& folder) -> Status {
              KM_RETURN_IF_ERROR(ReplaceFile(folder / "compile_device.cc", program));
              KM_RETURN_IF_ERROR(WriteHeaders(folder / "include", prelude));
              const CompilerSandbox sandbox({}, folder, kSeconds);
              KM_ASSIGN(const CompilerRun run,
                        sandbox.Run({CompilerSandbox::kCompiler, "-std=c++20", "-O1",
                                     "compile_device.cc", "-o", "compile_device"}));
              if (run.exit_status == 0) return Status::Ok();
              return Status(ErrorCode::kInternal,
                            "building compile_device failed, please report it: " + run.output);
            }));
  return compiler;
}

Result<std::vector<DeviceCompilation>> DeviceCompiler::Compile(
    const std::vector<DeviceSource>& sources, bool whole_library) const {
  std::vector<DeviceCompilation> results(sources.size());
  std::vector<std::size_t> unknown;
  std::vector<fs::path> entries;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    Sha256 hash;
    hash.Field(key_).Field(whole_library ? "whole" : "prelude").Field(sources[i].language);
    hash.Field(sources[i].text);
    for (const std::string& flag : sources[i].without_operators) hash.Field(flag);
    for (const std::string& name : sources[i].instantiations) hash.Field(name);
    const std::string key = hash.Finish().Hex();
    entries.push_back(folder_ / "device" / key.substr(0, 2) / (key + ".json"));
    if (!ReadEntry(entries[i], &results[i])) unknown.push_back(i);
  }
  if (unknown.empty()) return results;
  std::vector<DeviceSource> asked;
  for (std::size_t i : unknown) asked.push_back(sources[i]);
  KM_ASSIGN(std::vector<DeviceCompilation> compiled, Run(asked, whole_library));
  for (std::size_t i = 0; i < compiled.size(); ++i) {
    const fs::path& entry = entries[unknown[i]];
    KM_RETURN_IF_ERROR(MakeFolders(entry.parent_path()));
    KM_RETURN_IF_ERROR(ReplaceFile(
        entry, Json(Json::Object{{"ok", compiled[i].ok}, {"log", compiled[i].log}}).Dump()));
    results[unknown[i]] = std::move(compiled[i]);
  }
  return results;
}

Result<std::vector<DeviceCompilation>> DeviceCompiler::Run(const std::vector<DeviceSource>& sources,
                                                           bool whole_library) const {
  const fs::path folder = TemporaryPath(folder_ / "building");
  KM_RETURN_IF_ERROR(MakeFolders(folder));
  std::vector<std::string> command = {std::string(kProgram) + "/compile_device", library_,
                                      std::to_string(sources.size())};
  for (std::size_t i = 0; i < sources.size(); ++i) {
    std::string names;
    for (const std::string& name : sources[i].instantiations) names += name + "\n";
    const std::string stem = std::to_string(i);
    KM_RETURN_IF_ERROR(ReplaceFile(folder / (stem + ".cu"), sources[i].text));
    KM_RETURN_IF_ERROR(ReplaceFile(folder / (stem + ".names"), names));
  }
  const std::vector<std::string> options = Options(whole_library, sources.front().language);
  command.insert(command.end(), options.begin(), options.end());
  const std::vector<std::string>& without = sources.front().without_operators;
  command.insert(command.end(), without.begin(), without.end());
  const CompilerSandbox sandbox({{program_, kProgram}, {toolkit_, kToolkit}}, folder, kSeconds);
  const Result<CompilerRun> run = sandbox.Run(command);
  fs::remove_all(folder);
  KM_RETURN_IF_ERROR(run.status());
  std::vector<DeviceCompilation> results;
  std::string_view rest = run->output;
  for (std::size_t end = rest.find(kEndMark); end != rest.npos; end = rest.find(kEndMark)) {
    DeviceCompilation result;
    result.log = rest.substr(0, end);
    if (!IsUtf8(result.log)) result.log.clear();
    rest.remove_prefix(end + kEndMark.size());
    result.ok = rest.starts_with("0");
    rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
    results.push_back(std::move(result));
  }
  if (results.size() < sources.size() && !run->hit_limit) {
    return Status(ErrorCode::kInternal,
                  version_ + " does not start, please report it: " + run->output.substr(0, 500));
  }
  return results;
}

}  // namespace kernelmill
