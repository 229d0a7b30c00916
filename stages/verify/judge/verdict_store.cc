#include "stages/verify/judge/verdict_store.h"

#include <fcntl.h>
#include <unistd.h>

#include "manifests/commit_file.h"
#include "manifests/digest.h"
#include "stages/verify/judge/judging_secret.h"
#include "stages/worker/instruction_set.h"
#include "stages/worker/sandbox.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMaxBytes = std::int64_t{2} << 30;  // About half a million verdicts.

constexpr std::string_view kVerdict = ".json", kAttempts = ".attempts";
constexpr char kSecret[] = "secret";

std::optional<Json> Parsed(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  Result<Json> verdict = Json::Parse(*text);
  if (!verdict.ok()) return std::nullopt;
  return std::move(verdict).value();
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
  KM_ASSIGN(auto shared, SharedEntries::OfEnvironment("verdicts"));
  KM_ASSIGN(EntryStore entries, EntryStore::Open(folder, kMaxBytes, std::move(shared)));
  return VerdictStore(folder, std::move(entries));
}

fs::path VerdictStore::DefaultFolder() { return CheckoutRoot() / ".cache" / "verdicts"; }

Result<std::optional<Json>> VerdictStore::Find(const std::string& key) const {
  KM_ASSIGN(const std::optional<std::string> text, entries_.Find(key, kVerdict));
  return Parsed(text);
}

std::optional<Json> VerdictStore::FindHere(const std::string& key) const {
  return Parsed(entries_.FindHere(key, kVerdict));
}

Status VerdictStore::Keep(const std::string& key, const Json& verdict) const {
  const std::string status = verdict.TextAt("status");
  if (status == "infra") return Note(key, "infra: " + verdict.TextAt("detail"));
  KM_RETURN_IF_ERROR(entries_.Keep(key, kVerdict, verdict.Dump()));
  return Note(key, "kept");
}

Result<std::string> VerdictStore::Secret() const {
  KM_ASSIGN(std::string secret, KeepSecret(folder_ / kSecret, DrawSecret()));
  if (!entries_.shared()) return secret;
  // All machines judge with that of the first one, or their verdicts would have other keys.
  KM_ASSIGN(secret, entries_.shared()->Keep(kSecret, secret));
  if (IsJudgingSecret(secret)) return secret;
  return Status(ErrorCode::kCorrupt, entries_.shared()->TextOf(kSecret) +
                                         ": not a secret of a judge; remove the object, and the "
                                         "next command makes a new one");
}

Status VerdictStore::Begin(const std::string& key) const { return Note(key, "begun"); }

Status VerdictStore::Note(const std::string& key, std::string_view line) const {
  const fs::path path = entries_.PathOf(key, kAttempts);
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
