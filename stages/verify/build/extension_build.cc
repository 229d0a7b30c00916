#include "stages/verify/build/extension_build.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "manifests/ascii.h"
#include "manifests/commit_file.h"
#include "manifests/digest.h"
#include "manifests/json.h"
#include "parsers/cuda_rewrite.h"
#include "parsers/inline_assembly.h"
#include "parsers/text_lines.h"
#include "stages/engine/cache_pruning.h"
#include "stages/verify/build/cuda_mode_check.h"
#include "stages/verify/build/cuda_toolchain.h"
#include "stages/verify/build/leaking_macros.h"
#include "stages/verify/build/unit_texts.h"
#include "stages/verify/build/unrun_ptx.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxLog = 8 << 10;

std::string KeyOf(const Rewritten& rewritten, const std::string& runtime_key) {
  Sha256 hash;
  hash.Field("extension 24").Field(runtime_key).Field(rewritten.macros).Field(rewritten.binding);
  hash.Field(rewritten.cpp_macros);
  hash.Field(rewritten.extension);
  hash.Field(rewritten.choice.vendor_libraries ? "vendor" : "");
  hash.Field(rewritten.choice.contracts ? "" : "no");
  for (const auto* files : {&rewritten.cpp, &rewritten.cuda, &rewritten.headers}) {
    hash.Field(std::to_string(files->size()));
    for (const SourceFile& file : *files) hash.Field(file.name).Field(file.text);
  }
  return hash.Finish().Hex();
}

// Whether a header's name stays inside the folder; other names are not headers of the candidate.
bool IsInside(const fs::path& name) {
  return !name.empty() && name.is_relative() &&
         std::none_of(name.begin(), name.end(), [](const fs::path& part) { return part == ".."; });
}

// Removes the random names of object files between compiler and linker, such as
// "/tmp/unit_0-ea9e31.o", so that logs are the same in every run.
std::string WithoutTemporaryNames(std::string_view line) {
  constexpr std::string_view kFolder = "/tmp/", kEnd = ".o";
  std::string text;
  while (true) {
    const std::size_t begin = line.find(kFolder);
    text += line.substr(0, begin);
    if (begin == line.npos) return text;
    line.remove_prefix(begin);
    const std::size_t end = line.find(kEnd);
    const std::string_view name = line.substr(0, end);
    const std::size_t dash = name.rfind('-');
    const bool temporary = end != line.npos && dash != name.npos && dash + 1 < name.size() &&
                           name.find_first_not_of("0123456789abcdef", dash + 1) == name.npos;
    text += temporary ? name.substr(kFolder.size(), dash - kFolder.size()) : kFolder;
    line.remove_prefix(temporary ? end : kFolder.size());
  }
}

// Headers by the names that an #include has.
std::string WithoutOurFolders(std::string text) {
  for (std::string_view folder : {"/km/runtime/include/", "/km/torch/include/"}) {
    for (std::size_t at = text.find(folder); at != text.npos; at = text.find(folder, at)) {
      text.erase(at, folder.size());
    }
  }
  return text;
}

// Keeps the diagnostics of the candidate's own files. Errors in our headers and torch's follow from
// them.
std::string LogOf(const std::string& output) {
  std::string log;
  for (std::string_view line : LinesOf(output)) {
    const bool ours = line.find("/km/") != line.npos || line.starts_with("In file included") ||
                      line.starts_with("clang++") || line.find("errors generated") != line.npos ||
                      line.find("error generated") != line.npos;
    if (!ours) log += WithoutTemporaryNames(line) + "\n";
    if (log.size() > kMaxLog) break;
  }
  if (log.empty()) log = WithoutOurFolders(WithoutTemporaryNames(output));
  log.resize(std::min(log.size(), kMaxLog));
  while (!IsUtf8(log)) log.pop_back();
  return log;
}

Status WriteHeaders(const Rewritten& rewritten, const fs::path& folder) {
  KM_RETURN_IF_ERROR(MakeFolders(folder));
  for (const SourceFile& header : rewritten.headers) {
    if (!IsInside(header.name)) continue;
    KM_RETURN_IF_ERROR(MakeFolders((folder / header.name).parent_path()));
    KM_RETURN_IF_ERROR(ReplaceFile(folder / header.name, header.text));
  }
  return Status::Ok();
}

Result<CompilerRun> CompileUnits(const Rewritten& rewritten, bool one_unit,
                                 const ExtensionCache& cache, const CudaRuntime& runtime,
                                 const fs::path& folder) {
  KM_RETURN_IF_ERROR(WriteHeaders(rewritten, folder));
  std::vector<NamedUnit> names;
  for (const UnitText& unit : UnitsOf(rewritten, one_unit)) {
    names.push_back({one_unit ? "extension.cpp" : "unit_" + std::to_string(names.size()) + ".cpp",
                     unit.extension});
    KM_RETURN_IF_ERROR(ReplaceFile(folder / names.back().name, unit.text));
  }
  return cache.toolchain().BuildLibrary(runtime, folder, names, rewritten.choice);
}

// Compiles all sources as one unit, which takes half the time. If that fails, because two files may
// define the same name, or if macros leak, compiles each as torch does, and clears `*one_unit`.
Result<CompilerRun> Compile(const Rewritten& rewritten, const ExtensionCache& cache,
                            const CudaRuntime& runtime, const fs::path& folder, bool* one_unit) {
  const auto texts = [](const std::vector<SourceFile>& sources) {
    std::vector<std::string_view> found;
    for (const SourceFile& source : sources) found.push_back(source.text);
    return found;
  };
  if (!rewritten.sides_differ && !MacrosLeak(texts(rewritten.cpp), texts(rewritten.cuda))) {
    KM_ASSIGN(CompilerRun run, CompileUnits(rewritten, true, cache, runtime, folder));
    const std::size_t files = rewritten.cpp.size() + rewritten.cuda.size();
    if (run.exit_status == 0 || run.hit_limit || files < 2) return run;
  }
  *one_unit = false;
  return CompileUnits(rewritten, false, cache, runtime, folder);
}

// Whether the bindings use Python objects. The executor supports functions of tensors and plain
// values, and what bound_class.h has of classes.
bool WantsPythonObjects(const std::string& text) {
  static constexpr std::string_view kNames[] = {"class_<",    "py::dict",   "py::list",
                                                "py::tuple",  "py::object", "pybind11::dict",
                                                "py::handle", "py::kwargs", "py::array"};
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](std::string_view name) { return text.find(name) != std::string::npos; });
}

// What clang says of a `__device__` before a variable that the rewrite has not seen (qualifiers.h
// in stages/cuda_executor/include/kernelmill).
constexpr std::string_view kUnplaced =
    "'no_speculative_load_hardening' attribute only applies to functions and Objective-C methods";
constexpr std::string_view kWhyUnplaced =
    "the executor cannot place this variable of the device, because a macro, a template or a class "
    "declares it";

std::string WithReasonOfUnplaced(std::string log) {
  for (std::size_t at = log.find(kUnplaced); at != log.npos; at = log.find(kUnplaced, at)) {
    log.replace(at, kUnplaced.size(), kWhyUnplaced);
  }
  return log;
}

// Whether a header of a vendor's library is missing here.
bool MissesVendorHeader(std::string_view output) {
  static constexpr std::string_view kFolders[] = {"thrust/", "cub/",     "cutlass/", "cute/",
                                                  "cufft",   "cusparse", "cusolver", "nccl",
                                                  "mublas",  "mudnn",    "mufft",    "cublas",
                                                  "cuda/",   "nv/"};
  constexpr std::string_view kError = "fatal error: '";
  for (const std::string_view line : LinesOf(output)) {
    const std::size_t at = line.find(kError);
    if (at == line.npos) continue;
    const std::string_view name = line.substr(at + kError.size());
    if (std::any_of(std::begin(kFolders), std::end(kFolders),
                    [&](std::string_view folder) { return name.starts_with(folder); })) {
      return true;
    }
  }
  return false;
}

std::string ReasonOf(const CompilerRun& run, const ExtensionSources& sources) {
  if (run.exit_status == 0) return {};
  if (run.hit_limit) return "compile_limit";
  for (const auto* texts : {&sources.cpp_sources, &sources.cuda_sources}) {
    for (const std::string& text : *texts) {
      if (FindUnsupportedFeature(text).has_value() || WantsPythonObjects(text)) {
        return "unsupported_feature";
      }
    }
  }
  // Assembly that the rewrite has not seen, which CandidateFlags() (compile_flags.cc) keeps from
  // being compiled, and PTX that the executor does not run (ptx/statement.h).
  const bool assembly =
      run.output.find("GNU-style inline assembly is disabled") != std::string::npos ||
      NamesUnrunPtx(run.output) ||
      run.output.find("inline PTX '") != std::string::npos;
  if (run.output.find(kUnplaced) != std::string::npos) return "unsupported_feature";
  if (assembly || run.output.find("ExtensionTable::Add<") != std::string::npos) {
    return "unsupported_feature";
  }
  if (MissesVendorHeader(run.output)) return "unsupported_feature";
  const bool linker = run.output.find("ld.lld: error") != std::string::npos;
  return linker ? "link_error" : "compile_error";
}

constexpr char kLibrary[] = "extension.so";
constexpr char kResult[] = "result.json";

// Writes the result of a build, with the hash of the library.
Status WriteResult(const fs::path& folder, const BuiltExtension& built) {
  Json::Object json = {{"ok", built.ok},
                       {"reason", built.reason},
                       {"log", built.log},
                       {"host_text", built.host_text}};
  if (built.ok) {
    KM_ASSIGN(const Digest digest, DigestOfFile(folder / kLibrary));
    json["library"] = digest.Hex();
  }
  if (fs::exists(folder / kHostLibrary)) {
    KM_ASSIGN(const Digest digest, DigestOfFile(folder / kHostLibrary));
    json["host_library"] = digest.Hex();
  }
  return ReplaceFile(folder / kResult, Json(std::move(json)).Dump());
}

// Reads a cache entry. Returns nothing if it is damaged and has to be built again.
std::optional<BuiltExtension> FromEntry(const fs::path& entry, BuiltExtension built) {
  const Result<std::string> text = ReadFile(entry / kResult);
  if (!text.ok()) return std::nullopt;
  const Result<Json> json = Json::Parse(*text);
  if (!json.ok()) return std::nullopt;
  const Json* const ok = json->Find("ok");
  if (ok == nullptr || !ok->is_bool()) return std::nullopt;
  built.ok = ok->as_bool();
  built.reason = json->TextAt("reason");
  built.log = json->TextAt("log");
  built.host_text = json->TextAt("host_text");
  if (built.ok) {
    built.library = entry / kLibrary;
    const Result<Digest> digest = DigestOfFile(built.library);
    if (!digest.ok() || digest->Hex() != json->TextAt("library")) return std::nullopt;
  }
  if (json->Find("host_library") != nullptr) {
    const Result<Digest> digest = DigestOfFile(entry / kHostLibrary);
    if (!digest.ok() || digest->Hex() != json->TextAt("host_library")) return std::nullopt;
  }
  MarkUsed(entry);
  return built;
}

bool Mentions(const ExtensionSources& sources, std::string_view word) {
  for (const auto* texts : {&sources.cpp_sources, &sources.cuda_sources}) {
    for (const std::string& text : *texts) {
      if (text.find(word) != std::string::npos) return true;
    }
  }
  return false;
}

// Whether host code may differ from what it is for the executor where __CUDA_ARCH__, which only
// code of a device has, is not defined: the macro occurs, or a name is pasted that may be it.
bool AsksForArchitecture(const Rewritten& rewritten) {
  const auto asks = [](const std::string& text) {
    return text.find("CUDA_ARCH") != text.npos || text.find("##") != text.npos;
  };
  bool found = asks(rewritten.binding);
  for (const auto* files : {&rewritten.cpp, &rewritten.cuda, &rewritten.headers}) {
    for (const SourceFile& file : *files) found = found || asks(file.text);
  }
  return found;
}

// Builds the library once more without __CUDA_ARCH__. It never runs: the rules for the symbols of a
// library hold for it too.
Status BuildForHost(Rewritten rewritten, bool one_unit, const ExtensionCache& cache,
                    const CudaRuntime& runtime, const fs::path& folder, BuiltExtension* built) {
  const fs::path own = folder / "host";
  rewritten.macros = "#undef __CUDA_ARCH__\n" + rewritten.macros;
  rewritten.cpp_macros = "#undef __CUDA_ARCH__\n" + rewritten.cpp_macros;
  KM_ASSIGN(const CompilerRun run, CompileUnits(rewritten, one_unit, cache, runtime, own));
  std::error_code error;
  if (run.exit_status == 0) {
    fs::rename(own / kLibrary, folder / kHostLibrary, error);
    return error ? Status(ErrorCode::kIo, "rename: " + error.message()) : Status::Ok();
  }
  built->reason = "unsupported_feature";
  built->log = "without __CUDA_ARCH__, as the host's compiler gets it: " + LogOf(run.output);
  return Status::Ok();
}

// Judges the sources as CUDA. The plain build is enough: others are of the same sources.
Status CheckSides(const ExtensionSources& sources, bool one_unit, const ExtensionCache& cache,
                  const CudaRuntime& runtime, const fs::path& folder, BuiltExtension* built) {
  using Units = Result<std::vector<UnitText>>;
  const auto units_in = [&](const fs::path& place, bool for_cuda) -> Units {
    const Rewritten written = SourcesAsWritten(sources, for_cuda);
    KM_RETURN_IF_ERROR(WriteHeaders(written, place));
    return UnitsOf(written, one_unit);
  };
  const fs::path own = folder / "cuda_mode", expanded = folder / "expanded";
  KM_ASSIGN(const std::vector<UnitText> units, units_in(own, true));
  KM_ASSIGN(const CudaModeCheck check, CheckInCudaMode(units, *sources.backend, cache.toolchain(),
                                                       runtime, own, LanguageOf(sources.defines)));
  if (!check.refused.empty()) {
    built->reason = "compile_error";
    built->log = check.refused;
  } else if (!check.unsupported.empty()) {
    built->reason = "unsupported_feature";
    built->log = check.unsupported;
  }
  // With the names that the candidate has written: rules tell x.is_cuda() from x.is_cpu().
  KM_ASSIGN(const std::vector<UnitText> as_written, units_in(expanded, false));
  KM_ASSIGN(built->host_text, TextForHost(as_written, cache.toolchain(), expanded));
  while (!IsUtf8(built->host_text)) built->host_text.pop_back();
  std::error_code error;
  fs::remove(own / "device.ll", error);
  return Status::Ok();
}

}  // namespace

Result<BuiltExtension> BuildExtension(const ExtensionSources& sources, const ExtensionCache& cache,
                                      const CudaRuntime& runtime) {
  BuiltExtension built;
  built.has_torch_library = Mentions(sources, "TORCH_LIBRARY");
  for (const std::string& function : sources.functions) {
    if (IsIdentifier(function)) continue;
    built.reason = "compile_error";
    built.log = "functions: \"" + function + "\" is no name of a function";
    return built;
  }
  const Rewritten rewritten = RewriteSources(sources, runtime.kind);
  const std::string key = KeyOf(rewritten, runtime.key);
  const fs::path entry = cache.folder() / "built" / key.substr(0, 2) / key;
  if (fs::exists(entry)) {
    if (std::optional<BuiltExtension> known = FromEntry(entry, built)) return *std::move(known);
    std::error_code error;
    fs::remove_all(entry, error);
  }

  KM_ASSIGN(const fs::path folder, cache.NewFolder());
  bool one_unit = true;
  Result<CompilerRun> run = Compile(rewritten, cache, runtime, folder, &one_unit);
  if (!run.ok()) {
    fs::remove_all(folder);
    return run.status();
  }
  built.reason = ReasonOf(*run, sources);
  if (!built.reason.empty()) built.log = WithNamesOfPtx(WithReasonOfUnplaced(LogOf(run->output)));
  if (built.reason.empty() && runtime.kind == BuildKind::kPlain) {
    Status checked = CheckSides(sources, one_unit, cache, runtime, folder, &built);
    if (checked.ok() && built.reason.empty() && AsksForArchitecture(rewritten)) {
      checked = BuildForHost(rewritten, one_unit, cache, runtime, folder, &built);
    }
    if (!checked.ok()) {
      fs::remove_all(folder);
      return checked;
    }
  }
  built.ok = built.reason.empty();
  if (run->hit_limit) {  // The limit may be due to the machine's load, so the result is not cached.
    fs::remove_all(folder);
    return built;
  }
  KM_RETURN_IF_ERROR(WriteResult(folder, built));
  KM_RETURN_IF_ERROR(cache.Publish(folder, entry));
  std::optional<BuiltExtension> published = FromEntry(entry, std::move(built));
  if (!published) return Status(ErrorCode::kIo, entry.string() + " has changed as it was written");
  return *std::move(published);
}

}  // namespace kernelmill
