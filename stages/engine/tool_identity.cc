#include "stages/engine/tool_identity.h"

#include <algorithm>
#include <filesystem>

#include "manifests/commit_file.h"
#include "stages/worker/sandbox.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

Result<Digest> DigestOfSources(const std::string& folder, const std::string& extension) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
    if (entry.path().extension() == extension) paths.push_back(entry.path().string());
  }
  if (error)
    return Status(ErrorCode::kEnvironment, "cannot read " + folder + ": " + error.message());
  std::sort(paths.begin(), paths.end());
  Sha256 hash;
  for (const std::string& path : paths) {
    KM_ASSIGN(const std::string text, ReadFile(path));
    hash.Field(path.substr(folder.size())).Field(text);
  }
  return hash.Finish();
}

// The text between `before` and the next quote.
std::string Quoted(const std::string& text, const std::string& before) {
  const std::size_t start = text.find(before);
  if (start == std::string::npos) return "unknown";
  const std::size_t first = start + before.size();
  return text.substr(first, text.find('\'', first) - first);
}

Result<std::string> ReadTorchVersionFile(const std::string& environment) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(environment + "/lib", error)) {
    const std::string path = entry.path().string() + "/site-packages/torch/version.py";
    if (fs::exists(path, error)) return ReadFile(path);
  }
  return Status(ErrorCode::kEnvironment,
                "no torch in " + environment + "; run ./kernelmill setup to install it");
}

}  // namespace

Result<ToolIdentity> ReadToolIdentity() {
  const std::string root = CheckoutRoot().string();
  KM_ASSIGN(const Digest program, DigestOfFile("/proc/self/exe"));
  KM_ASSIGN(const Digest worker, DigestOfSources(root + "/stages/worker", ".py"));
  KM_ASSIGN(const std::string torch, ReadTorchVersionFile(root + "/.venv"));
  ToolIdentity identity;
  identity.versions = Json::Object{{"kernelmill", KERNELMILL_VERSION},
                                   {"program", program.Hex()},
                                   {"worker", worker.Hex()},
                                   {"torch", Quoted(torch, "__version__ = '")},
                                   {"torch_commit", Quoted(torch, "git_version = '")}};
  identity.digest = DigestOf(identity.versions.Dump());
  return identity;
}

}  // namespace kernelmill
