#include "stages/verify/verify_batch.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>

#include "manifests/commit_file.h"
#include "manifests/digest.h"
#include "manifests/json_fields.h"
#include "stages/engine/interrupt.h"
#include "stages/engine/progress.h"
#include "stages/engine/tool_identity.h"

namespace kernelmill {
namespace {

constexpr std::int64_t kProgressEvery = 25;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

std::string WriteLine(const VerdictLine& line) {
  return Json(Json::Object{
                  {"key", line.key}, {"fingerprint", line.fingerprint}, {"verdict", line.verdict}})
             .Dump() +
         "\n";
}

// The whole lines of a file; half a last one is what a killed run leaves.
std::map<std::string, VerdictLine> ReadLines(const std::string& path) {
  std::map<std::string, VerdictLine> lines;
  const Result<std::string> text = ReadFile(path);
  if (!text.ok()) return lines;
  std::size_t at = 0;
  while (true) {
    const std::size_t end = text->find('\n', at);
    if (end == std::string::npos) return lines;
    const Result<Json> json = Json::Parse(std::string_view(*text).substr(at, end - at));
    at = end + 1;
    if (!json.ok()) continue;
    VerdictLine line;
    JsonFields fields(*json, "verdict line");
    fields.Read("key", &line.key);
    fields.Read("fingerprint", &line.fingerprint);
    fields.Read("verdict", &line.verdict);
    if (fields.Finish().ok()) lines[line.key] = line;
  }
}

// Everything that can change a verdict.
std::string FingerprintOf(const VerifyItem& item, const JudgeOptions& options,
                          const ToolIdentity& tool) {
  Sha256 hash;
  for (const CheckedBuild& check : options.checks) hash.Field(check.python_folder);
  hash.Field("verdict 1")
      .Field(item.reference)
      .Field(item.code.value_or(""))
      .Field(item.code ? "code" : "none")
      .Field(options.policy->name)
      .Field(options.backend == ExtensionBackend::kMusa ? "musa" : "cuda")
      .Field(std::to_string(options.seed))
      .Field(options.training ? "train" : "eval")
      .Field(std::to_string(options.checks.size()))
      .Field(options.limits.ToJson().Dump())
      .Field(tool.digest.Hex());
  return hash.Finish().Hex();
}

Verdict InfraVerdict(const JudgeOptions& options, const Status& status) {
  Verdict verdict;
  verdict.status = VerdictStatus::kInfra;
  verdict.reason = "worker";
  verdict.detail = status.message();
  verdict.policy = options.policy->name;
  verdict.backend = options.backend == ExtensionBackend::kMusa ? "musa" : "cuda";
  verdict.verified_on = "cpu_executor";
  return verdict;
}

// What the threads of a run share.
class Batch {
 public:
  Batch(const JudgeOptions& options, const std::vector<VerifyItem>& items,
        std::vector<std::size_t> open, std::vector<VerdictLine>* lines, std::FILE* file)
      : options_(options), items_(items), open_(std::move(open)), lines_(lines), file_(file) {}

  // One thread's share of the work.
  void Work() {
    std::optional<Judge> judge;
    for (std::size_t next = next_++; next < open_.size(); next = next_++) {
      if (Interrupted()) return Fail(InterruptedStatus());
      if (!judge) {
        Result<Judge> started = Judge::Start(options_);
        if (!started.ok()) return Fail(started.status());
        judge = std::move(started).value();
      }
      const VerifyItem& item = items_[open_[next]];
      Result<Verdict> verdict = judge->Verify(item.reference, item.code);
      if (!verdict.ok()) {
        // A worker that one candidate has broken twice says nothing about the next one.
        if (verdict.status().code() != ErrorCode::kWorker) return Fail(verdict.status());
        verdict = InfraVerdict(options_, verdict.status());
        judge.reset();
      }
      Keep(open_[next], *verdict);
    }
  }

  Status status() const { return status_; }

 private:
  void Fail(const Status& status) {
    const std::lock_guard lock(mutex_);
    if (status_.ok()) status_ = status;
    next_ = open_.size();
  }

  void Keep(std::size_t index, const Verdict& verdict) {
    const std::lock_guard lock(mutex_);
    VerdictLine& line = (*lines_)[index];
    line.verdict = verdict.ToJson();
    const std::string text = WriteLine(line);
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size() || std::fflush(file_) != 0) {
      if (status_.ok()) status_ = Status::FromErrno("cannot write", "the verdicts");
      next_ = open_.size();
    }
    if (verdict.status == VerdictStatus::kCorrect) ++correct_;
    if (++done_ % kProgressEvery == 0) {
      Say("verify: " + std::to_string(done_) + " of " + std::to_string(open_.size()) + ", " +
          std::to_string(correct_) + " correct");
    }
  }

  const JudgeOptions& options_;
  const std::vector<VerifyItem>& items_;
  const std::vector<std::size_t> open_;
  std::vector<VerdictLine>* lines_;
  std::FILE* file_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  Status status_;
  std::int64_t done_ = 0, correct_ = 0;
};

}  // namespace

Json VerifySummary::ToJson() const {
  return Json::Object{{"judged", judged},
                      {"reused", reused},
                      {"counts", Json::Object(counts.begin(), counts.end())}};
}

std::string VerifySummary::Text() const {
  std::string text;
  for (const auto& [name, count] : counts) {
    const bool reason = name.find(' ') != std::string::npos;
    text += (reason ? "    " + name.substr(name.find(' ') + 1) : name) + ": " +
            std::to_string(count) + "\n";
  }
  text += std::to_string(judged + reused) + " verdicts";
  if (reused > 0) text += ", " + std::to_string(reused) + " of them from before";
  return text + "\n";
}

Result<VerifySummary> VerifyAll(const JudgeOptions& options, const std::vector<VerifyItem>& items,
                                const std::string& path, int jobs,
                                std::vector<VerdictLine>* lines) {
  KM_ASSIGN(const ToolIdentity tool, ReadToolIdentity());
  const std::map<std::string, VerdictLine> known = ReadLines(path);
  VerifySummary summary;
  std::vector<std::size_t> open;
  lines->clear();
  std::string kept;
  for (std::size_t i = 0; i < items.size(); ++i) {
    lines->push_back({items[i].key, FingerprintOf(items[i], options, tool), Json()});
    const auto found = known.find(items[i].key);
    if (found != known.end() && found->second.fingerprint == lines->back().fingerprint &&
        found->second.verdict.TextAt("status") != "infra") {
      lines->back() = found->second;
      kept += WriteLine(found->second);
      ++summary.reused;
    } else {
      open.push_back(i);
    }
  }
  summary.judged = static_cast<std::int64_t>(open.size());
  KM_RETURN_IF_ERROR(ReplaceFile(path, kept));
  if (!open.empty()) {
    const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "ae"));
    if (file == nullptr) return Status::FromErrno("cannot append to", path);
    const auto threads = std::min(static_cast<std::size_t>(std::max(jobs, 1)), open.size());
    Batch batch(options, items, std::move(open), lines, file.get());
    {
      std::vector<std::jthread> workers;
      for (std::size_t i = 0; i < threads; ++i) workers.emplace_back([&batch] { batch.Work(); });
    }
    KM_RETURN_IF_ERROR(batch.status());
  }
  std::string text;
  for (const VerdictLine& line : *lines) {
    text += WriteLine(line);
    const std::string status = line.verdict.TextAt("status");
    const std::string reason = line.verdict.TextAt("reason");
    ++summary.counts[status];
    if (!reason.empty()) ++summary.counts[status + " " + reason];
  }
  KM_RETURN_IF_ERROR(ReplaceFile(path, text));
  return summary;
}

}  // namespace kernelmill
