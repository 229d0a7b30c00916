#include "stages/scores/score_report.h"

#include <filesystem>
#include <utility>

#include "corpora/dataset/dataset_layout.h"
#include "corpora/kernelbench_checkout.h"
#include "stages/scores/task_lookup.h"
#include "stages/scores/verdict_file.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

constexpr char kVerdicts[] = "verdicts.jsonl", kResults[] = "eval_results.json";

// The file to read, which `source` is or holds.
Result<fs::path> FileOf(const std::string& source) {
  std::error_code error;
  if (!fs::is_directory(source, error)) {
    if (fs::exists(source, error)) return fs::path(source);
    return Status(ErrorCode::kNotFound, source + " does not exist");
  }
  for (const char* name : {kVerdicts, kResults}) {
    fs::path path = fs::path(source) / name;
    if (fs::exists(path, error)) return path;
  }
  return Status(ErrorCode::kNotFound, source + " has neither " + kVerdicts +
                                          " (of `kernelmill verify`) nor " + kResults +
                                          " (of KernelBench)");
}

Result<TaskLookup> LookupFor(const ScoreRequest& request, const fs::path& file) {
  if (!request.tasks.empty()) return TasksOfDataset(request.tasks);
  if (!request.kernelbench.empty()) return TasksOfKernelBench(request.kernelbench);
  std::error_code error;
  const fs::path folder = file.parent_path();
  if (fs::exists(folder / kManifestName, error)) return TasksOfDataset(folder.string());
  return TasksByName();
}

Status ScoreEval(const ScoreRequest& request, const TaskLookup& lookup, ScoreReport* report) {
  const bool needs_level = !request.kernelbench.empty() || !request.baseline.empty();
  if (needs_level && request.level == 0) {
    return Status(ErrorCode::kUsage,
                  report->source + " does not say which level it is about: give --level too");
  }
  KM_ASSIGN(const EvalEntries entries, ReadEvalResults(report->source));
  std::map<std::string, double> baseline;
  if (!request.baseline.empty()) {
    KM_ASSIGN(baseline, ReadBaseline(request.baseline, request.level));
  }
  const Result<std::vector<ScoredSample>> samples =
      SamplesOfEval(entries, request.level, BaselineByNumber(baseline), lookup);
  if (!samples.ok()) return samples.status().Within(report->source);
  report->scores = ScoreSamples(*samples, request.ks);
  if (request.kernelbench.empty()) return Status::Ok();
  std::map<std::int64_t, std::string> problems;
  for (const auto& [number, path] : KernelBenchProblems(request.kernelbench, request.level)) {
    problems[number] = path.filename();
  }
  report->kernelbench = AnalyseEval(entries, problems, baseline);
  return Status::Ok();
}

}  // namespace

Json ScoreReport::ToJson() const {
  Json json = scores.ToJson();
  json["source"] = source;
  json["malformed"] = malformed;
  json["other_turns"] = other_turns;
  json["retries"] = retries;
  json["kernelbench"] = kernelbench ? kernelbench->ToJson() : Json();
  return json;
}

Result<ScoreReport> MakeScoreReport(const ScoreRequest& request) {
  if (!request.tasks.empty() && !request.kernelbench.empty()) {
    return Status(ErrorCode::kUsage, "--tasks and --kernelbench exclude each other: give one");
  }
  KM_ASSIGN(const fs::path file, FileOf(request.source));
  KM_ASSIGN(const TaskLookup lookup, LookupFor(request, file));
  ScoreReport report;
  report.source = file.string();
  if (file.extension() == ".json") {
    KM_RETURN_IF_ERROR(ScoreEval(request, lookup, &report));
    return report;
  }
  if (!request.baseline.empty() || request.level != 0) {
    return Status(ErrorCode::kUsage, "--level and --baseline are for " + std::string(kResults) +
                                         "; the times of " + report.source +
                                         " are in measurements.jsonl beside it, which `verify "
                                         "--device` writes");
  }
  KM_ASSIGN(const VerdictSamples verdicts, ReadVerdictSamples(report.source, lookup));
  report.malformed = verdicts.malformed;
  report.other_turns = verdicts.other_turns;
  report.retries = verdicts.retries;
  report.scores = ScoreSamples(verdicts.samples, request.ks);
  return report;
}

}  // namespace kernelmill
