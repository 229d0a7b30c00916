#include "stages/verify/build/cuda_toolchain.h"

#include <algorithm>
#include <functional>
#include <future>
#include <string_view>
#include <thread>

#include "manifests/commit_file.h"
#include "manifests/digest.h"
#include "parsers/text_lines.h"
#include "stages/verify/build/compile_flags.h"
#include "stages/verify/build/executor_sources.h"
#include "stages/worker/sandbox.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

// What is precompiled, and last a header that the first of them includes by its path.
constexpr const char* kPreludes[] = {"torch_prelude.h", "runtime_prelude.h",
                                     "include/kernelmill/extremes.h"};
constexpr char kAddressSanitizer[] =
    "/usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.asan-x86_64.so";
constexpr int kSetupSeconds = 900;
constexpr int kCandidateSeconds = 60;

template <typename... Parts>
std::vector<std::string> Joined(Parts&&... parts) {
  std::vector<std::string> all;
  (all.insert(all.end(), std::begin(parts), std::end(parts)), ...);
  return all;
}
using Words = std::vector<std::string>;

Status Check(const Result<CompilerRun>& run, std::string_view what) {
  KM_RETURN_IF_ERROR(run.status());
  if (run->exit_status == 0) return Status::Ok();
  return Status(ErrorCode::kInternal,
                "building " + std::string(what) +
                    " failed, please report it: " + run->output.substr(0, 2000));
}

// Runs steps side by side. Returns the first error in their order, after all have ended.
Status SideBySide(const std::vector<std::function<Status()>>& steps) {
  std::vector<std::future<Status>> running;
  for (const auto& step : steps) running.push_back(std::async(std::launch::async, step));
  Status first;
  for (std::future<Status>& one : running) {
    Status ended = one.get();
    if (first.ok()) first = std::move(ended);
  }
  return first;
}

std::string ObjectOf(const std::string& source) { return fs::path(source).stem().string() + ".o"; }

constexpr char kBothSides[] = "#pragma clang force_cuda_host_device ";

// Copies include/, and adds a file for each line of forwarded_headers.
Status CopyHeaders(const fs::path& device, const fs::path& to) {
  std::error_code error;
  fs::copy(device / "include", to, fs::copy_options::recursive, error);
  if (error) return Status(ErrorCode::kIo, "copy to " + to.string() + ": " + error.message());
  KM_ASSIGN(const std::string table, ReadFile(device / "forwarded_headers"));
  for (std::string_view line : LinesOf(table)) {
    const std::size_t space = line.find(' ');
    if (line.starts_with('#') || space == std::string_view::npos) continue;
    const fs::path header = to / line.substr(0, space);
    KM_RETURN_IF_ERROR(MakeFolders(header.parent_path()));
    // In CUDA mode what it declares is of both sides (cuda_mode_prelude.h).
    KM_RETURN_IF_ERROR(ReplaceFile(
        header, "#pragma once\n#ifdef KERNELMILL_CUDA_MODE\n" + std::string(kBothSides) +
                    "begin\n#endif\n#include <" + std::string(line.substr(space + 1)) +
                    ">\n#ifdef KERNELMILL_CUDA_MODE\n" + kBothSides + "end\n#endif\n"));
  }
  return Status::Ok();
}

}  // namespace

Result<CudaToolchain> CudaToolchain::Find() {
  CudaToolchain toolchain;
  const fs::path root = CheckoutRoot();
  toolchain.executor_ = root / "stages" / "cuda_executor";
  if (!fs::exists(toolchain.executor_ / "forwarded_headers")) {
    return Status(ErrorCode::kEnvironment, toolchain.executor_.string() +
                                               " is missing: set KERNELMILL_ROOT to the checkout");
  }
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root / ".venv" / "lib", error)) {
    const fs::path torch = entry.path() / "site-packages" / "torch";
    if (!fs::exists(torch / "include")) continue;
    toolchain.torch_ = fs::canonical(torch, error);
    toolchain.python_ = entry.path().filename();
  }
  if (toolchain.torch_.empty()) {
    return Status(ErrorCode::kEnvironment,
                  (root / ".venv").string() + " holds no torch: run ./kernelmill setup");
  }
  KM_ASSIGN(const std::string torch, ReadFile(toolchain.torch_ / "version.py"));
  // The compiler writes nothing here, but the sandbox needs a folder to write to.
  const CompilerSandbox sandbox({}, fs::temp_directory_path(error), kCandidateSeconds);
  if (error) {
    return Status(ErrorCode::kNotFound, "TMPDIR does not name a folder: " + error.message());
  }
  KM_ASSIGN(const CompilerRun clang, sandbox.Run({CompilerSandbox::kCompiler, "--version"}));
  if (clang.exit_status != 0 || clang.output.find("clang version") == std::string::npos) {
    return Status(ErrorCode::kEnvironment, std::string(CompilerSandbox::kCompiler) +
                                               " does not say its version: " + clang.output);
  }
  toolchain.versions_ = torch + clang.output;
  return toolchain;
}

std::vector<std::pair<std::string, std::string>> CudaToolchain::Environment(BuildKind kind) {
  if (kind != BuildKind::kMemory) return {};
  return {{"LD_PRELOAD", kAddressSanitizer},
          // The executor handles signals and must see every report.
          {"ASAN_OPTIONS",
           "detect_leaks=0:halt_on_error=0:symbolize=0:detect_stack_use_after_return=0:"
           "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:"
           // suppress_equal_pcs would end the process after 25 different places.
           "alloc_dealloc_mismatch=0:suppress_equal_pcs=0:"
           // Allocation stacks are not used.
           "malloc_context_size=0"},
          // Python's objects stay in Python's own heap: they are most of the allocations and need
          // no checks.
          {"PYTHONMALLOC", "pymalloc"}};
}

// Flags for the executor's own files. The forwarded headers are not on the include path, because
// the Python module needs torch's real headers. NDEBUG must be defined as in torch's own build,
// because members of its classes depend on it.
std::vector<std::string> CudaToolchain::RuntimeFlags() const {
  return Joined(Words{std::string("-I") + kExecutor + "/include", "-I/km/root", "-DNDEBUG"},
                TorchIncludes(), Words{"-isystem", "/usr/include/" + python_});
}

Result<std::string> CudaToolchain::PreludeKey() const {
  Sha256 hash;
  hash.Field("prelude 3").Field(versions_);
  for (const char* name : kPreludes) {
    KM_ASSIGN(const std::string header, ReadFile(executor_ / name));
    hash.Field(header);
  }
  for (const std::string& flag : Joined(LanguageFlags(), PrecompiledFlags(), RuntimeFlags())) {
    hash.Field(flag);
  }
  return hash.Finish().Hex().substr(0, 32);
}

Result<std::string> CudaToolchain::ObjectsKey(const std::string& prelude) const {
  KM_ASSIGN(const auto files, FilesBelow(executor_));
  Sha256 hash;
  hash.Field("objects 1").Field(prelude);
  for (const fs::path& file : files) {
    KM_ASSIGN(const std::string text, ReadFile(executor_ / file));
    hash.Field(file.string()).Field(text);
  }
  return hash.Finish().Hex().substr(0, 32);
}

std::string CudaToolchain::RuntimeKey(BuildKind kind, const std::string& objects) {
  Sha256 hash;
  hash.Field("runtime 8").Field(objects).Field(MacroOfKind(kind));
  for (const std::string& flag :
       Joined(KindFlags(kind), CandidateFlags(), LinkFlags(kind), CudaModeFlags())) {
    hash.Field(flag);
  }
  return hash.Finish().Hex().substr(0, 32);
}

Status CudaToolchain::BuildPrelude(const fs::path& folder) const {
  for (const char* name : kPreludes) {
    KM_ASSIGN(const std::string text, ReadFile(executor_ / name));
    KM_RETURN_IF_ERROR(MakeFolders((folder / name).parent_path()));
    KM_RETURN_IF_ERROR(ReplaceFile(folder / name, text));
  }
  // A precompiled header records its own path, so it is compiled under the path that is used
  // later.
  const CompilerSandbox sandbox({{torch_, kTorch}, {folder, kPrelude}}, folder, kSetupSeconds);
  const auto build = [&](const std::string& header, const std::string& stem,
                         const Words& flags) -> Status {
    const Words compiler = Joined(Words{CompilerSandbox::kCompiler}, LanguageFlags());
    KM_RETURN_IF_ERROR(
        Check(sandbox.Run(Joined(compiler, flags, PrecompiledFlags(),
                                 Words{std::string(kPrelude) + "/" + header, "-fpch-codegen",
                                       "-fpch-instantiate-templates", "-o", stem + ".pch"})),
              header + ", precompiled,"));
    // Not optimised: only host code calls it, and this takes a third of the time.
    return Check(sandbox.Run(Joined(
                     compiler, Words{"-O0", "-ffunction-sections", "-fdata-sections", "-Xclang",
                                     "-fno-validate-pch", "-c", stem + ".pch", "-o", stem + ".o"})),
                 "the functions of " + header);
  };
  KM_RETURN_IF_ERROR(
      build(kPreludes[0], "prelude",
            Joined(Words{std::string("-I") + kPrelude + "/include"}, TorchIncludes())));
  return build(kPreludes[1], "runtime", RuntimeFlags());
}

Status CudaToolchain::CompileExecutor(const fs::path& prelude, const fs::path& folder,
                                      const std::vector<std::string>& sources,
                                      BuildKind kind) const {
  const CompilerSandbox sandbox({{torch_, kTorch}, {prelude, kPrelude}, {executor_, kExecutor}},
                                folder, kSetupSeconds);
  Words compiler = Joined(Words{CompilerSandbox::kCompiler}, LanguageFlags(), RuntimeFlags(),
                          Words{"-Xclang", "-fno-validate-pch", "-include-pch",
                                std::string(kPrelude) + "/runtime.pch", "-c"});
  if (kind != BuildKind::kPlain) compiler.push_back(std::string("-D") + MacroOfKind(kind));
  // A compiler takes up to 0.7 GB, and several kinds may be built at once.
  constexpr std::size_t kMostCompilers = 8;
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  std::vector<Words> shares(std::min({cores, kMostCompilers, sources.size()}));
  for (std::size_t i = 0; i < sources.size(); ++i) {
    shares[i % shares.size()].push_back(std::string(kExecutor) + "/" + sources[i]);
  }
  std::vector<std::function<Status()>> steps;
  for (const Words& share : shares) {
    steps.push_back([&] { return Check(sandbox.Run(Joined(compiler, share)), "the executor"); });
  }
  return SideBySide(steps);
}

Status CudaToolchain::BuildObjects(const fs::path& prelude, const fs::path& folder) const {
  KM_ASSIGN(const std::vector<std::string> sources, ExecutorSources(executor_));
  return CompileExecutor(prelude, folder, sources, BuildKind::kPlain);
}

Status CudaToolchain::BuildHeaders(BuildKind kind, const fs::path& prelude,
                                   const fs::path& folder) const {
  const CompilerSandbox sandbox({{torch_, kTorch}, {prelude, kPrelude}, {folder, kRuntime}}, folder,
                                kSetupSeconds);
  return Check(
      sandbox.Run(Joined(Words{CompilerSandbox::kCompiler}, LanguageFlags(), KindFlags(kind),
                         CudaIncludes(), TorchIncludes(), PrecompiledFlags(),
                         Words{std::string("-DKERNELMILL_SOURCES_ROOT=\"") + kSourcesRoot + "\"",
                               "-Xclang", "-fno-validate-pch", "-fpch-instantiate-templates",
                               "-include-pch", std::string(kPrelude) + "/prelude.pch",
                               std::string(kRuntime) + "/cuda_prelude.h", "-o", "cuda.pch"})),
      "the executor's precompiled header");
}

Status CudaToolchain::BuildExecutor(BuildKind kind, const fs::path& prelude,
                                    const fs::path& objects, const fs::path& folder) const {
  KM_ASSIGN(const std::vector<std::string> sources, ExecutorSources(executor_));
  std::vector<std::string> of_kind;
  Words linked = {std::string(kPrelude) + "/runtime.o"};
  for (const std::string& source : sources) {
    KM_ASSIGN(const bool differs, DependsOnKind(executor_, source, kind));
    if (differs) of_kind.push_back(source);
    linked.push_back((differs ? "" : std::string(kObjects) + "/") + ObjectOf(source));
  }
  KM_RETURN_IF_ERROR(CompileExecutor(prelude, folder, of_kind, kind));
  const CompilerSandbox sandbox({{torch_, kTorch},
                                 {prelude, kPrelude},
                                 {executor_, kExecutor},
                                 {objects, kObjects}},
                                folder, kSetupSeconds);
  KM_RETURN_IF_ERROR(
      Check(sandbox.Run(Joined(
                Words{CompilerSandbox::kCompiler}, linked,
                // Without what no function of the executor uses: some of it is in no library of
                // torch.
                Words{"-shared", "-fuse-ld=lld", "-Wl,--gc-sections", "-o", kExecutorLibrary,
                      std::string("-Wl,-soname,") + kExecutorLibrary,
                      std::string("-Wl,--version-script=") + kExecutor + "/interface_symbols",
                      "-Wl,--undefined-version", std::string("-L") + kTorch + "/lib",
                      "-ltorch_cpu", "-lc10", "-ltorch_python", "-lboost_context"})),
            "the executor's library"));
  for (const std::string& source : of_kind) {
    std::error_code error;
    fs::remove(folder / ObjectOf(source), error);
    if (error) return Status(ErrorCode::kIo, "remove " + ObjectOf(source) + ": " + error.message());
  }
  return Status::Ok();
}

Status CudaToolchain::BuildRuntime(BuildKind kind, const fs::path& prelude, const fs::path& objects,
                                   const fs::path& folder) const {
  KM_RETURN_IF_ERROR(CopyHeaders(executor_, folder / "include"));
  std::error_code error;
  fs::copy(executor_ / "vendor", folder / "vendor", fs::copy_options::recursive, error);
  if (error) return Status(ErrorCode::kIo, "copy to " + folder.string() + ": " + error.message());
  for (const char* name : {"cuda_prelude.h", "exported_symbols"}) {
    KM_ASSIGN(const std::string text, ReadFile(executor_ / name));
    KM_RETURN_IF_ERROR(ReplaceFile(folder / name, text));
  }
  std::vector<std::function<Status()>> steps = {
      [&] { return BuildHeaders(kind, prelude, folder); },
      [&] { return BuildExecutor(kind, prelude, objects, folder); }};
  if (kind == BuildKind::kPlain) steps.push_back([&] { return BuildCudaMode(folder); });
  return SideBySide(steps);
}

Status CudaToolchain::BuildCudaMode(const fs::path& folder) const {
  for (const char* name : {"cuda_mode_prelude.h", kPreludes[0]}) {
    KM_ASSIGN(const std::string text, ReadFile(executor_ / name));
    KM_RETURN_IF_ERROR(ReplaceFile(folder / name, text));
  }
  const CompilerSandbox sandbox({{torch_, kTorch}, {folder, kRuntime}}, folder, kSetupSeconds);
  return Check(sandbox.Run(Joined(Words{CompilerSandbox::kCompiler}, CudaModeFlags(),
                                  TorchIncludes(),
                                  // Otherwise every candidate instantiates what the headers use.
                                  Words{"-c", "-fpch-instantiate-templates", "-Xclang",
                                        "-fno-pch-timestamp", "-Xclang", "-emit-pch",
                                        std::string(kRuntime) + "/cuda_mode_prelude.h", "-o",
                                        "cuda_mode.pch"})),
               "the precompiled header of CUDA mode");
}

Result<CompilerRun> CudaToolchain::CompileInCudaMode(const CudaRuntime& runtime,
                                                     const fs::path& folder,
                                                     const NamedUnit& source,
                                                     const std::string& language) const {
  // As for BuildLibrary(), so that no __has_include tells the two apart.
  const CompilerSandbox sandbox(
      {{torch_, kTorch}, {runtime.prelude, kPrelude}, {runtime.folder, kRuntime}}, folder,
      kCandidateSeconds);
  return sandbox.Run(Joined(
      Words{CompilerSandbox::kCompiler}, CudaModeFlags(), Words{"-std=" + language},
      VendorIncludes(), TorchIncludes(),
      Words{SourceFolderFlag(source.extension), "-c", "-Xclang", "-include-pch", "-Xclang",
            std::string(kRuntime) + "/cuda_mode.pch", "-Xclang", "-fno-validate-pch", "-S",
            "-emit-llvm", "-Xclang", "-disable-llvm-passes", source.name, "-o", "device.ll"}));
}

Result<CompilerRun> CudaToolchain::ExpandForHost(const fs::path& folder,
                                                 const NamedUnit& source) const {
  const CompilerSandbox sandbox({}, folder, kCandidateSeconds);
  return sandbox.Run({CompilerSandbox::kCompiler, "-x", "c++", "-std=c++20", "-O2",
                      "-w", "-E", "-nostdinc", SourceFolderFlag(source.extension), "-D__CUDACC__=1",
                      "-D__NVCC__=1", "-D__CUDACC_VER_MAJOR__=12", "-D__CUDACC_VER_MINOR__=6",
                      "-DCUDART_VERSION=12060", "-DCUDA_VERSION=12060", source.name, "-o",
                      "host.ii"});
}

Result<CompilerRun> CudaToolchain::BuildLibrary(const CudaRuntime& runtime, const fs::path& folder,
                                                const std::vector<NamedUnit>& sources,
                                                const LibraryChoice& choice) const {
  const CompilerSandbox sandbox(
      {{torch_, kTorch}, {runtime.prelude, kPrelude}, {runtime.folder, kRuntime}}, folder,
      kCandidateSeconds);
  Words names;
  for (const NamedUnit& source : sources) names.push_back(source.name);
  return sandbox.Run(
      Joined(Words{CompilerSandbox::kCompiler}, LanguageFlags(),
             Words{SourceFolderFlag(sources.front().extension)}, KindFlags(runtime.kind),
             CandidateFlags(), choice.contracts ? Words() : Words{"-ffp-contract=off"},
             choice.vendor_libraries ? VendorIncludes() : Words(), CudaIncludes(), TorchIncludes(),
             Words{"-Xclang", "-fno-validate-pch", "-include-pch",
                   std::string(kRuntime) + "/cuda.pch", "-x", "c++"},
             names, Words{"-x", "none", "-o", "extension.so"}, LinkFlags(runtime.kind)));
}

}  // namespace kernelmill
