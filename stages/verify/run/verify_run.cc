#include "stages/verify/run/verify_run.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "corpora/reject.h"
#include "corpora/shards/shard.h"
#include "manifests/commit_file.h"
#include "manifests/digest.h"
#include "manifests/file_writer.h"
#include "manifests/json_bytes.h"
#include "stages/engine/run.h"
#include "stages/engine/tool_identity.h"
#include "stages/verify/judge/judging_secret.h"
#include "stages/verify/run/candidate_list.h"
#include "stages/verify/run/verify_rank.h"
#include "stages/verify/run/verify_spec.h"
#include "stages/verify/run/verify_step.h"

namespace kernelmill {
namespace {

constexpr std::int64_t kMostVerifyPartitions = 1024;
constexpr char kVerdictsName[] = "verdicts.jsonl";

// Identifies the items of a run. A list is identified by its bytes, so that a list that has grown
// can be distinguished from another one.
Result<Json> SourceOf(const std::vector<VerifyItem>& items, const std::string& list) {
  Sha256 hash;
  std::map<const std::string*, std::string> references;
  for (const VerifyItem& item : items) {
    KM_ASSIGN(const std::optional<std::string> code, item.read_code());
    std::string& reference = references[item.reference.get()];
    if (reference.empty() && item.reference != nullptr) reference = DigestOf(*item.reference).Hex();
    hash.Field(Json(item.Identity()).Dump())
        .Field(item.contract.Text())
        .Field(item.backend != nullptr ? item.backend->name : "")
        .Field(item.problem)
        .Field(reference)
        .Field(code ? "code" : "none")
        .Field(code.value_or(""));
  }
  Json::Object source = {{"items", static_cast<std::int64_t>(items.size())},
                         {"sha256", hash.Finish().Hex()}};
  if (!list.empty()) {
    KM_ASSIGN(source["list"], IdentityOfList(list));
  }
  return Json(std::move(source));
}

// Discards the state of an earlier run unless this run resumes it.
Status PrepareRun(const VerifyRunOptions& options, const VerifyStep& step, Run* run) {
  const Result<Plan> before = run->PlanOf(step.Name());
  if (before.status().code() == ErrorCode::kNotFound) return Status::Ok();
  if (options.fresh || !before.ok()) return run->DiscardSteps();
  const Json* const source = before->parameters.Find("source");
  const Json* const list = source == nullptr ? nullptr : source->Find("list");
  if (!options.list.empty() && list != nullptr && !ContinuesList(*list, options.list)) {
    return Status(ErrorCode::kUsage, options.output + " has the verdicts of another list than " +
                                         options.list +
                                         "; name another --output, or --no-cache to replace them");
  }
  const bool same = before->parameters == step.Parameters() && before->version == step.Version() &&
                    before->tool == run->options().tool &&
                    before->partitions == run->options().partitions;
  std::error_code error;
  const bool published = std::filesystem::exists(options.output + "/" + kVerdictsName, error);
  return same && (published || !run->IsComplete(step.Name())) ? Status::Ok() : run->DiscardSteps();
}

// Writes verdicts.jsonl: the outputs and rejects of the step, in the order of their items.
Status Publish(const Run& run, const std::vector<VerifyItem>& items, const std::string& output,
               std::vector<VerdictLine>* lines) {
  KM_ASSIGN(ShardSorter sorter, ShardSorter::Create(run.StatePath("steps"), nullptr));
  KM_RETURN_IF_ERROR(run.ForEachOutput(
      "verify",
      [&](std::string_view place, std::string_view line) { return sorter.Put(place, line); }));
  std::map<std::string, std::size_t> rejected;  // By Reject::key: the position of the item.
  for (std::size_t place = 0; place < items.size(); ++place) {
    if (items[place].problem.empty()) continue;
    rejected[DigestOf(VerifyStep::PlaceKey(place)).Hex()] = place;
  }
  KM_RETURN_IF_ERROR(
      run.ForEachReject("verify", [&](std::string_view, std::string_view bytes) -> Status {
        KM_ASSIGN(const Reject reject, Reject::Decode(bytes));
        const auto found = rejected.find(reject.key);
        if (found == rejected.end()) {
          return Status(ErrorCode::kCorrupt,
                        output + ": a rejected line does not belong to the list");
        }
        Json::Object rejected_line = JsonOfBytes(reject.original);
        rejected_line["reason"] = reject.reason;
        rejected_line["problem"] = reject.detail;
        Json::Object line = items[found->second].Identity();
        line["rejected"] = std::move(rejected_line);
        return sorter.Put(VerifyStep::PlaceKey(found->second), Json(std::move(line)).Dump());
      }));
  // The file is first written to the folder of the run's state, where the next run removes what a
  // killed run leaves.
  const std::string path = output + "/" + kVerdictsName, whole = run.StatePath(kVerdictsName);
  std::error_code error;
  std::filesystem::remove(whole, error);
  KM_ASSIGN(FileWriter file, FileWriter::Create(whole));
  KM_RETURN_IF_ERROR(sorter.ForEach([&](std::string_view, std::string_view line, bool*) -> Status {
    KM_ASSIGN(const Json json, Json::Parse(line));
    const Json* const verdict = json.Find("verdict");
    lines->push_back({json.TextAt("key"),
                      verdict == nullptr ? "rejected" : verdict->TextAt("status"),
                      verdict == nullptr ? "" : verdict->TextAt("reason")});
    KM_RETURN_IF_ERROR(file.Append(line));
    return file.Append("\n");
  }));
  KM_RETURN_IF_ERROR(file.Finish());
  std::filesystem::rename(whole, path, error);
  if (error) return Status(ErrorCode::kIo, "cannot replace " + path + ": " + error.message());
  return SyncFolder(output);
}

VerifySummary SummaryOf(const std::vector<VerdictLine>& lines, std::int64_t judged) {
  VerifySummary summary;
  summary.judged = judged;
  for (const VerdictLine& line : lines) {
    ++summary.counts[line.status];
    if (!line.reason.empty()) ++summary.counts[line.status + " " + line.reason];
    summary.rejected += line.status == "rejected" ? 1 : 0;
  }
  summary.reused = static_cast<std::int64_t>(lines.size()) - summary.judged - summary.rejected;
  return summary;
}

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
  if (reused > 0)
    text += ", " + std::to_string(reused) + " of them from an earlier run or the store";
  if (rejected > 0) text += "; " + std::to_string(rejected) + " lines were malformed";
  return text + "\n";
}

Result<VerifySummary> VerifyCandidates(const std::vector<VerifyItem>& items,
                                       const VerifyRunOptions& options,
                                       std::vector<VerdictLine>* lines) {
  KM_ASSIGN(const ToolIdentity tool, ReadToolIdentity());
  KM_ASSIGN(Run run, Run::Open({.output = options.output,
                                .shared = true,
                                .jobs = options.jobs,
                                .partitions = std::clamp<std::int64_t>(
                                    VerifyStep::CountInputs(items), 1, kMostVerifyPartitions),
                                .tool = tool.digest,
                                .executor = options.executor}));
  KM_ASSIGN(Json source, SourceOf(items, options.list));
  JudgingChoice judging = options.judging;
  if (!judging.secret.empty()) {
    // A run goes on with the secret that it began with.
    KM_ASSIGN(judging.secret, KeepSecret(run.StatePath(kRunSecretName), judging.secret));
  }
  VerifyStep step(judging, options.fresh ? StoreUse::kRenew : StoreUse::kUse, std::move(source));
  KM_RETURN_IF_ERROR(PrepareRun(options, step, &run));
  KM_RETURN_IF_ERROR(PrepareJudging(options.judging).status());
  const bool was_complete = run.IsComplete(step.Name());
  KM_RETURN_IF_ERROR(options.executor != nullptr ? AdmitVerifyRanks(run, options.fresh)
                                                 : DismissVerifyRanks(run));
  KM_RETURN_IF_ERROR(run.Do(step, VerifyStep::Inputs(items)).status());
  KM_RETURN_IF_ERROR(DismissVerifyRanks(run));
  lines->clear();
  KM_RETURN_IF_ERROR(Publish(run, items, options.output, lines));
  VerifySummary summary = SummaryOf(*lines, step.judged());
  if (options.executor != nullptr && !was_complete) std::swap(summary.judged, summary.reused);
  // The next run must judge these again.
  if (summary.counts.contains(std::string(StatusName(VerdictStatus::kInfra)))) {
    KM_RETURN_IF_ERROR(run.RemoveSteps());
  }
  return summary;
}

}  // namespace kernelmill
