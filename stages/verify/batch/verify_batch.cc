#include "stages/verify/batch/verify_batch.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

#include "stages/engine/interrupt.h"
#include "stages/engine/progress.h"
#include "stages/engine/tool_identity.h"
#include "stages/verify/batch/verdict_file.h"

namespace kernelmill {
namespace {

constexpr std::int64_t kProgressEvery = 25;

// One share of the work: so many items of one task, one after the other, that its reference is run
// once for them.
constexpr std::size_t kShare = 16;

Verdict InfraVerdict(const JudgeOptions& options, const Status& status) {
  Verdict verdict;
  verdict.status = VerdictStatus::kInfra;
  verdict.reason = "worker";
  verdict.detail = status.message();
  verdict.policy = options.policy->name;
  verdict.backend = BackendName(options.backend);
  verdict.verified_on = "cpu_executor";
  return verdict;
}

// The items by task, in the order in which the tasks first appear, cut into shares.
std::vector<std::vector<std::size_t>> SharesOf(const std::vector<VerifyItem>& items) {
  std::map<const std::string*, std::size_t> last;  // By reference: its unfinished share.
  std::vector<std::vector<std::size_t>> shares;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto [share, added] = last.try_emplace(items[i].reference.get(), shares.size());
    if (!added && shares[share->second].size() == kShare) share->second = shares.size();
    if (share->second == shares.size()) shares.emplace_back();
    shares[share->second].push_back(i);
  }
  return shares;
}

// What the threads of a run share.
class Batch {
 public:
  Batch(const JudgeOptions& options, const std::vector<VerifyItem>& items,
        const VerdictStore& store, const VerifyPlan& plan, const ToolIdentity& tool,
        VerdictFile* file, std::vector<VerdictLine>* lines)
      : options_{{ExtensionBackend::kCuda, options}, {ExtensionBackend::kMusa, options}},
        backend_(options.backend),
        items_(items),
        store_(store),
        plan_(plan),
        tool_(tool),
        file_(file),
        shares_(SharesOf(items)),
        lines_(lines),
        places_(items.size()) {
    for (auto& [backend, its_options] : options_) its_options.backend = backend;
  }

  // One thread's part of the work.
  void Work() {
    Judges judges;
    const auto workers = std::make_shared<JudgeWorkers>();
    for (const auto& [backend, options] : options_) {
      judges[backend].options = options;
      judges[backend].options.workers = workers;
    }
    for (std::size_t next = next_++; next < shares_.size(); next = next_++) {
      for (const std::size_t index : shares_[next]) {
        Status status = Interrupted() ? InterruptedStatus() : Settle(index, &judges);
        if (!status.ok()) return Fail(std::move(status));
      }
    }
  }

  Status status() const { return status_; }
  std::size_t shares() const { return shares_.size(); }
  std::int64_t reused() const { return reused_; }
  const std::vector<VerdictFile::Place>& places() const { return places_; }

 private:
  struct BackendJudge {
    JudgeOptions options;
    std::optional<Judge> judge;  // Once it is needed.
  };
  using Judges = std::map<ExtensionBackend, BackendJudge>;

  void Fail(Status status) {
    const std::lock_guard lock(mutex_);
    if (status_.ok()) status_ = std::move(status);
    next_ = shares_.size();
  }

  Status Settle(std::size_t index, Judges* judges) {
    const VerifyItem& item = items_[index];
    if (!item.problem.empty()) return Reject(index);
    const ExtensionBackend backend = item.backend.value_or(backend_);
    auto& [options, judge] = judges->at(backend);
    KM_ASSIGN(const std::optional<std::string> code, item.read_code());
    const std::string key = VerdictKey(*item.reference, code, options, tool_);
    const VerdictFile::Known* const known = file_->Find(item.key);
    if (!plan_.fresh && known != nullptr && known->fingerprint == key &&
        known->status != StatusName(VerdictStatus::kInfra)) {
      Note(index, {item.key, known->status, known->reason}, known->place, true);
      return Status::Ok();
    }
    std::optional<Json> verdict = plan_.fresh ? std::nullopt : store_.Find(key);
    const bool reused = verdict.has_value();
    if (!reused) {
      KM_ASSIGN(verdict, VerifyOne(options, key, *item.reference, code, store_, true, &judge));
    }
    KM_ASSIGN(const VerdictFile::Place place, file_->Append(item.key, key, *verdict));
    Note(index, {item.key, verdict->TextAt("status"), verdict->TextAt("reason")}, place, reused);
    return Status::Ok();
  }

  Status Reject(std::size_t index) {
    const VerifyItem& item = items_[index];
    KM_ASSIGN(const std::optional<std::string> bytes, item.read_code());
    KM_ASSIGN(const VerdictFile::Place place,
              file_->AppendRejected(item.key, item.problem, bytes.value_or("")));
    Note(index, {item.key, "rejected", ""}, place, false);
    return Status::Ok();
  }

  void Note(std::size_t index, VerdictLine line, VerdictFile::Place place, bool reused) {
    const std::lock_guard lock(mutex_);
    if (line.status == StatusName(VerdictStatus::kCorrect)) ++correct_;
    (*lines_)[index] = std::move(line);
    places_[index] = place;
    if (reused) ++reused_;
    if (++done_ % kProgressEvery == 0) {
      Say("verify: " + std::to_string(done_) + " of " + std::to_string(items_.size()) + ", " +
          std::to_string(correct_) + " correct");
    }
  }

  std::map<ExtensionBackend, JudgeOptions> options_;
  const ExtensionBackend backend_;
  const std::vector<VerifyItem>& items_;
  const VerdictStore& store_;
  const VerifyPlan& plan_;
  const ToolIdentity& tool_;
  VerdictFile* file_;
  const std::vector<std::vector<std::size_t>> shares_;
  std::vector<VerdictLine>* lines_;
  std::vector<VerdictFile::Place> places_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  Status status_;
  std::int64_t done_ = 0, correct_ = 0, reused_ = 0;
};

}  // namespace

Json VerifySummary::ToJson() const {
  return Json::Object{{"judged", judged},
                      {"reused", reused},
                      {"rejected", rejected},
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
  if (rejected > 0) text += "; " + std::to_string(rejected) + " lines were no answers";
  return text + "\n";
}

Result<Json> VerifyOne(const JudgeOptions& options, const std::string& key,
                       const std::string& reference, const std::optional<std::string>& code,
                       const VerdictStore& store, bool fresh, std::optional<Judge>* judge) {
  if (!fresh) {
    if (std::optional<Json> known = store.Find(key)) return *std::move(known);
  }
  KM_RETURN_IF_ERROR(store.Begin(key));
  if (!*judge) {
    KM_ASSIGN(*judge, Judge::Start(options));
  }
  Result<Verdict> verdict = (*judge)->Verify(reference, code);
  if (!verdict.ok()) {
    // A worker that one candidate has broken twice says nothing about the next one.
    if (verdict.status().code() != ErrorCode::kWorker) return verdict.status();
    verdict = InfraVerdict(options, verdict.status());
    judge->reset();
  }
  Json json = verdict->ToJson();
  KM_RETURN_IF_ERROR(store.Keep(key, json));
  return json;
}

Result<VerifySummary> VerifyAll(const JudgeOptions& options, const std::vector<VerifyItem>& items,
                                const VerdictStore& store, const VerifyPlan& plan,
                                std::vector<VerdictLine>* lines) {
  KM_ASSIGN(const ToolIdentity tool, ReadToolIdentity());
  KM_ASSIGN(VerdictFile file, VerdictFile::Open(plan.path));
  lines->assign(items.size(), {});
  Batch batch(options, items, store, plan, tool, &file, lines);
  {
    const auto threads = std::min(static_cast<std::size_t>(std::max(plan.jobs, 1)), batch.shares());
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < threads; ++i) workers.emplace_back([&batch] { batch.Work(); });
  }
  KM_RETURN_IF_ERROR(batch.status());
  KM_RETURN_IF_ERROR(file.Arrange(batch.places()));
  VerifySummary summary;
  summary.reused = batch.reused();
  summary.rejected = std::count_if(items.begin(), items.end(),
                                   [](const VerifyItem& item) { return !item.problem.empty(); });
  summary.judged = static_cast<std::int64_t>(items.size()) - summary.reused - summary.rejected;
  for (const VerdictLine& line : *lines) {
    ++summary.counts[line.status];
    if (!line.reason.empty()) ++summary.counts[line.status + " " + line.reason];
  }
  return summary;
}

}  // namespace kernelmill
