#include "stages/verify/judge/verdict_store.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

#include "manifests/commit_file.h"
#include "manifests/digest.h"
#include "stages/verify/build/cache_pruning.h"
#include "stages/verify/judge/judging_secret.h"
#include "stages/worker/sandbox.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMaxBytes = std::int64_t{2} << 30;  // About half a million verdicts.

// torch chooses its implementations by the instruction set, and their results differ in the last
// bits.
std::string InstructionSet() {
  const char* const asked = std::getenv("ATEN_CPU_CAPABILITY");
  if (asked != nullptr) return asked;
  if (__builtin_cpu_supports("avx512f")) return "avx512";
  return __builtin_cpu_supports("avx2") ? "avx2" : "default";
}

// A file holds the hash of its key and its verdict, a line break, and the verdict.
std::string SealOf(const std::string& key, std::string_view verdict) {
  return Sha256().Field("outcome 1").Field(key).Field(verdict).Finish().Hex();
}

}  // namespace

std::string VerdictKey(const std::string& reference, const std::optional<std::string>& code,
                       const JudgeOptions& options, const ToolIdentity& tool) {
  Sha256 hash;
  hash.Field("verdict 7")
      .Field(reference)
      .Field(code.value_or(""))
      .Field(code ? "code" : "none")
      .Field(options.policy->name)
      .Field(options.backend->name)
      .Field(options.device_target().name)
      .Field(std::to_string(options.seed))
      .Field(CommitmentTo(options.secret))
      .Field(options.training ? "train" : "eval")
      .Field(options.contract.Text())
      .Field(options.limits.ToJson().Dump())
      .Field(std::to_string(options.own_size_cpu_ms))
      .Field(tool.digest.Hex())
      .Field(options.executor)
      .Field(InstructionSet());
  for (const InstrumentedBuild& build : options.sanitizers) hash.Field(build.executor);
  hash.Field(options.counting ? options.counting->executor : "");
  return hash.Finish().Hex();
}

Result<VerdictStore> VerdictStore::Open(const fs::path& folder) {
  KM_RETURN_IF_ERROR(MakeFolders(folder));
  KM_RETURN_IF_ERROR(PruneCache(folder, kMaxBytes));
  VerdictStore store;
  store.folder_ = folder;
  return store;
}

fs::path VerdictStore::DefaultFolder() { return CheckoutRoot() / ".cache" / "verdicts"; }

fs::path VerdictStore::EntryOf(const std::string& key, std::string_view suffix) const {
  return folder_ / key.substr(0, 2) / (key + std::string(suffix));
}

std::optional<Json> VerdictStore::Find(const std::string& key) const {
  const fs::path path = EntryOf(key, ".json");
  const Result<std::string> text = ReadFile(path);
  if (!text.ok()) return std::nullopt;
  const std::string_view bytes = *text;
  const std::size_t end = bytes.find('\n');
  if (end == bytes.npos || bytes.substr(0, end) != SealOf(key, bytes.substr(end + 1))) {
    return std::nullopt;
  }
  Result<Json> verdict = Json::Parse(bytes.substr(end + 1));
  if (!verdict.ok()) return std::nullopt;
  MarkUsed(path);
  return std::move(verdict).value();
}

Status VerdictStore::Keep(const std::string& key, const Json& verdict) const {
  const std::string status = verdict.TextAt("status");
  if (status == "infra") return Note(key, "infra: " + verdict.TextAt("detail"));
  const std::string text = verdict.Dump();
  const fs::path path = EntryOf(key, ".json");
  KM_RETURN_IF_ERROR(MakeFolders(path.parent_path()));
  KM_RETURN_IF_ERROR(ReplaceFile(path, SealOf(key, text) + "\n" + text));
  return Note(key, "kept");
}

Result<std::string> VerdictStore::Secret() const {
  return KeepSecret(folder_ / "secret", DrawSecret());
}

Status VerdictStore::Begin(const std::string& key) const { return Note(key, "begun"); }

Status VerdictStore::Note(const std::string& key, std::string_view line) const {
  const fs::path path = EntryOf(key, ".attempts");
  KM_RETURN_IF_ERROR(MakeFolders(path.parent_path()));
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return Status::FromErrno("cannot open", path.string());
  std::string text;
  for (const char c : line) text += c == '\n' ? ' ' : c;
  text += '\n';
  const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const Status status = written ? Status::Ok() : Status::FromErrno("cannot write", path.string());
  close(file);
  return status;
}

}  // namespace kernelmill
