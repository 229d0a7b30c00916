#include "stages/scores/eval_results.h"

#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include "corpora/records/verdict.h"
#include "manifests/json_file.h"
#include "parsers/samples/kernelbench_sample.h"
#include "stages/scores/verdict_file.h"

namespace kernelmill {
namespace {

// The thresholds of KernelBench's analysis, with the names that its JSON has for them.
constexpr std::pair<const char*, double> kThresholds[] = {{"0.0", 0.0}, {"0.5", 0.5}, {"0.8", 0.8},
                                                          {"1.0", 1.0}, {"1.5", 1.5}, {"2.0", 2.0}};

// The number that `text` begins with.
std::optional<int> NumberAtStart(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

// The number of a problem. Nothing for another spelling of one, such as "01": two keys of a file
// would be one problem.
std::optional<int> ProblemNumber(std::string_view text) {
  const std::optional<int> number = NumberAtStart(text);
  return number && *number >= 0 && std::to_string(*number) == text ? number : std::nullopt;
}

bool IsNumber(const Json* json) { return json != nullptr && (json->is_int() || json->is_double()); }

// The status of our verdict in the metadata that EvalResults() writes.
std::string StatusOf(const Json& entry) {
  const Json* const metadata = entry.Find("metadata");
  const std::string status = metadata == nullptr ? "" : metadata->TextAt("status");
  return StatusFromName(status).ok() ? status : "";
}

Result<EvalEntry> EntryOf(const Json& json) {
  const Json *const sample = json.Find("sample_id"), *const compiled = json.Find("compiled"),
                    *const correct = json.Find("correctness"),
                    *const runtime = json.Find("runtime");
  if (sample == nullptr || !sample->is_int() || compiled == nullptr || !compiled->is_bool() ||
      correct == nullptr || !correct->is_bool()) {
    return Status(ErrorCode::kCorrupt,
                  "a sample needs an integer \"sample_id\", and \"compiled\" and \"correctness\", "
                  "which are true or false");
  }
  return EvalEntry{.sample = sample->as_int(),
                   .compiled = compiled->as_bool(),
                   .correct = correct->as_bool(),
                   .runtime = IsNumber(runtime) ? runtime->as_double() : -1,
                   .status = StatusOf(json)};
}

Result<std::vector<EvalEntry>> EntriesOf(const Json& list) {
  // Earlier versions of KernelBench have one sample instead of a list.
  const Json::Array items = list.is_array() ? list.as_array() : Json::Array{list};
  std::vector<EvalEntry> entries;
  std::set<std::int64_t> samples;
  for (const Json& item : items) {
    KM_ASSIGN(const EvalEntry entry, EntryOf(item));
    if (!samples.insert(entry.sample).second) {
      return Status(ErrorCode::kCorrupt,
                    "the sample_id " + std::to_string(entry.sample) + " occurs twice");
    }
    entries.push_back(entry);
  }
  return entries;
}

// Scores have the logarithm of the speed-up.
Status CheckQuotient(double baseline, double runtime) {
  const double speedup = baseline / runtime;
  if (std::isfinite(speedup) && speedup > 0) return Status::Ok();
  const auto text = [](double time) { return Json(time).Dump(); };
  return Status(ErrorCode::kCorrupt, "its runtime of " + text(runtime) +
                                         " ms against the baseline's " + text(baseline) +
                                         " ms is no speed-up that a number can hold");
}

}  // namespace

Result<EvalEntries> ReadEvalResults(const std::string& path) {
  KM_ASSIGN(const Json json, ReadJsonObject(path));
  EvalEntries entries;
  for (const auto& [problem, list] : json.as_object()) {
    const std::string where = path + ": problem '" + problem + "'";
    const std::optional<int> number = ProblemNumber(problem);
    if (!number) {
      return Status(ErrorCode::kCorrupt,
                    where + ": it is no number of a problem, such as \"1\" or \"20\"");
    }
    Result<std::vector<EvalEntry>> read = EntriesOf(list);
    if (!read.ok()) return read.status().Within(where);
    entries[*number] = std::move(*read);
  }
  return entries;
}

Result<std::map<std::string, double>> ReadBaseline(const std::string& path, int level) {
  KM_ASSIGN(const Json json, ReadJsonObject(path));
  const std::string name = "level" + std::to_string(level);
  const Json* const problems = json.Find(name);
  if (problems == nullptr || !problems->is_object()) {
    return Status(ErrorCode::kNotFound, path + " has no \"" + name +
                                            "\": give a baseline of KernelBench with this level");
  }
  std::map<std::string, double> times;
  for (const auto& [problem, time] : problems->as_object()) {
    const Json* const mean = time.Find("mean");
    if (!IsNumber(mean) || mean->as_double() <= 0) {
      return Status(ErrorCode::kCorrupt,
                    path + ": " + name + ": " + problem + " has no positive \"mean\"");
    }
    times[problem] = mean->as_double();
  }
  return times;
}

std::map<std::int64_t, double> BaselineByNumber(const std::map<std::string, double>& baseline) {
  std::map<std::int64_t, double> times;
  for (const auto& [problem, time] : baseline) {
    if (const std::optional<int> number = NumberAtStart(problem)) times[*number] = time;
  }
  return times;
}

Result<std::vector<ScoredSample>> SamplesOfEval(const EvalEntries& entries, int level,
                                                const std::map<std::int64_t, double>& baseline,
                                                const TaskLookup& lookup) {
  std::vector<ScoredSample> samples;
  for (const auto& [problem, list] : entries) {
    const KernelBenchSampleName named{.level = level, .problem = static_cast<int>(problem)};
    KM_ASSIGN(const FoundTask task, lookup(named.Task()));
    const auto time = baseline.find(problem);
    for (const EvalEntry& entry : list) {
      ScoredSample sample;
      if (!entry.status.empty()) {
        KM_ASSIGN(const VerdictStatus status, StatusFromName(entry.status));
        sample = SampleWithStatus(task.name, task.traits, status);
      } else {
        sample.task = task.name;
        sample.traits = task.traits;
        sample.correct = entry.compiled && entry.correct;
        sample.status = sample.correct ? "correct" : entry.compiled ? "incorrect" : "not_compiled";
      }
      if (entry.runtime > 0) sample.runtime = entry.runtime;
      if (time != baseline.end()) sample.baseline = time->second;
      if (sample.runtime && sample.baseline) {
        KM_RETURN_IF_ERROR(CheckQuotient(*sample.baseline, *sample.runtime)
                               .Within("problem '" + std::to_string(problem) + "', sample_id " +
                                       std::to_string(entry.sample)));
      }
      samples.push_back(std::move(sample));
    }
  }
  return samples;
}

KernelBenchAnalysis AnalyseEval(const EvalEntries& entries,
                                const std::map<std::int64_t, std::string>& problems,
                                const std::map<std::string, double>& baseline) {
  KernelBenchAnalysis analysis;
  analysis.total_count = static_cast<std::int64_t>(problems.size());
  analysis.total_eval = static_cast<std::int64_t>(entries.size());
  std::vector<double> speedups;  // Of the timed correct samples of aligned problems.
  std::int64_t correct = 0;      // Correct samples of aligned problems.
  for (const auto& [problem, list] : entries) {
    for (const EvalEntry& entry : list) {
      if (entry.sample != 0) continue;
      analysis.compiled_count += entry.compiled ? 1 : 0;
      analysis.correct_count += entry.correct ? 1 : 0;
      const auto name = problems.find(problem);
      const auto time = name == problems.end() ? baseline.end() : baseline.find(name->second);
      if (!entry.correct || time == baseline.end()) continue;
      ++correct;
      if (entry.runtime > 0) speedups.push_back(time->second / entry.runtime);
    }
  }
  for (const auto& [problem, name] : problems) analysis.aligned += baseline.contains(name) ? 1 : 0;
  const auto timed = static_cast<std::int64_t>(speedups.size());
  if (analysis.aligned == 0 || (correct > 0 && timed == 0)) return analysis;
  for (const auto& [name, threshold] : kThresholds) {
    std::int64_t faster = 0;
    for (const double speedup : speedups) faster += speedup > threshold ? 1 : 0;
    analysis.fast_p[name] = static_cast<double>(faster) / static_cast<double>(analysis.aligned);
  }
  if (timed < correct) return analysis;
  double logarithms = 0.0;
  for (const double speedup : speedups) logarithms += std::log(speedup);
  analysis.geo_mean_speedup =
      correct == 0 ? 0.0 : std::exp(logarithms / static_cast<double>(correct));
  return analysis;
}

Json KernelBenchAnalysis::ToJson() const {
  const auto rate = [&](std::int64_t count) {
    return total_count == 0 ? 0.0 : static_cast<double>(count) / static_cast<double>(total_count);
  };
  return Json::Object{
      {"total_count", total_count},
      {"total_eval", total_eval},
      {"compiled_count", compiled_count},
      {"correct_count", correct_count},
      {"aligned_count", aligned},
      {"compilation_rate", rate(compiled_count)},
      {"correctness_rate", rate(correct_count)},
      {"geo_mean_speedup", geo_mean_speedup ? Json(*geo_mean_speedup) : Json()},
      {"fast_p", fast_p.empty() ? Json() : Json(Json::Object(fast_p.begin(), fast_p.end()))}};
}

}  // namespace kernelmill
