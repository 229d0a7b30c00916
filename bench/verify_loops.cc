// Builds that bench/verify.py times outside of the program. Each command prints one JSON object.
//   verify_loops build FILE.cu        builds the library of a source:
//                                     {"library", "folder" of km_cuda}
//   verify_loops compile FILE.cpp…    compiles and links rewritten sources as for candidates:
//                                     {"include" of the executor}
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "manifests/commit_file.h"
#include "manifests/json.h"
#include "stages/verify/build/cuda_toolchain.h"
#include "stages/verify/build/extension_build.h"

namespace kernelmill {
namespace {

Result<Json> Build(const ExtensionCache& cache, const std::string& path) {
  ExtensionSources sources;
  sources.name = std::filesystem::path(path).stem();
  KM_ASSIGN(std::string text, ReadFile(path));
  sources.cuda_sources = {std::move(text)};
  KM_ASSIGN(const CudaRuntime runtime, cache.Runtime());
  KM_ASSIGN(const BuiltExtension built, BuildExtension(sources, cache, runtime));
  if (!built.ok) return Status(ErrorCode::kCorrupt, path + " does not build: " + built.log);
  return Json(Json::Object{{"library", built.library.string()},
                           {"folder", runtime.python_folder.string()}});
}

Result<Json> Compile(const ExtensionCache& cache, const std::vector<std::string>& paths) {
  KM_ASSIGN(const CudaRuntime runtime, cache.Runtime());
  for (const std::string& path : paths) {
    KM_ASSIGN(const std::string text, ReadFile(path));
    KM_ASSIGN(const std::filesystem::path folder, cache.NewFolder());
    KM_RETURN_IF_ERROR(ReplaceFile(folder / "extension.cpp", text));
    KM_ASSIGN(const CompilerRun run,
              cache.toolchain().BuildLibrary(runtime, folder, {{"extension.cpp", "bench"}}, {}));
    std::filesystem::remove_all(folder);
    if (run.exit_status != 0) return Status(ErrorCode::kCorrupt, path + ": " + run.output);
  }
  return Json(Json::Object{{"include", runtime.folder.string()}});
}

Status Run(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2) return Status(ErrorCode::kUsage, "see bench/verify_loops.cc");
  KM_ASSIGN(const ExtensionCache cache, ExtensionCache::Open(ExtensionCache::DefaultFolder()));
  const std::vector<std::string> paths(arguments.begin() + 1, arguments.end());
  KM_ASSIGN(const Json json,
            arguments[0] == "build" ? Build(cache, paths[0]) : Compile(cache, paths));
  std::printf("%s\n", json.Dump().c_str());
  return Status::Ok();
}

}  // namespace
}  // namespace kernelmill

int main(int count, char** words) {
  const kernelmill::Status status =
      kernelmill::Run(std::vector<std::string>(words + 1, words + count));
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.message().c_str());
  return 1;
}
