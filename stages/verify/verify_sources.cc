#include "stages/verify/verify_sources.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "corpora/task.h"
#include "manifests/commit_file.h"
#include "manifests/json_fields.h"
#include "stages/pack/dataset_reader.h"
#include "stages/verify/candidate_text.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = "_kernel.py";

struct SampleName {
  int level = 0, problem = 0, sample = 0;

  auto Order() const { return std::tie(level, problem, sample); }
};

// Reads `label` and a number off the front of `text`.
bool Take(std::string_view* text, std::string_view label, int* number) {
  if (!text->starts_with(label)) return false;
  text->remove_prefix(label.size());
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), *number);
  if (error != std::errc() || end == text->data()) return false;
  text->remove_prefix(static_cast<std::size_t>(end - text->data()));
  return true;
}

bool ParseName(std::string_view name, SampleName* sample) {
  return Take(&name, "level_", &sample->level) && Take(&name, "_problem_", &sample->problem) &&
         Take(&name, "_sample_", &sample->sample) && (name.empty() || name == kSuffix);
}

std::vector<fs::path> FilesOf(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

// {problem: path} of one level.
std::map<int, fs::path> ProblemsOf(const fs::path& checkout, int level) {
  std::map<int, fs::path> problems;
  for (const fs::path& path :
       FilesOf(checkout / "KernelBench" / ("level" + std::to_string(level)))) {
    const std::string name = path.filename();
    int number = 0;
    std::string_view rest = name;
    if (Take(&rest, "", &number) && rest.starts_with("_") && rest.ends_with(".py")) {
      problems[number] = path;
    }
  }
  return problems;
}

}  // namespace

Result<std::vector<VerifyItem>> ReadKernelBenchRun(const std::string& checkout,
                                                   const std::string& run, int level) {
  std::vector<std::pair<SampleName, fs::path>> samples;
  for (const fs::path& path : FilesOf(run)) {
    SampleName sample;
    const std::string name = path.filename();
    if (!name.ends_with(kSuffix) || !ParseName(name, &sample)) continue;
    if (level == 0 || sample.level == level) samples.emplace_back(sample, path);
  }
  if (samples.empty()) {
    return Status(ErrorCode::kNotFound,
                  run + " holds no level_L_problem_P_sample_S_kernel.py" +
                      (level == 0 ? "" : " of level " + std::to_string(level)));
  }
  std::sort(samples.begin(), samples.end(),
            [](const auto& a, const auto& b) { return a.first.Order() < b.first.Order(); });
  std::map<int, std::map<int, fs::path>> problems;
  std::vector<VerifyItem> items;
  for (const auto& [sample, path] : samples) {
    if (!problems.contains(sample.level)) {
      problems[sample.level] = ProblemsOf(checkout, sample.level);
    }
    const auto problem = problems[sample.level].find(sample.problem);
    if (problem == problems[sample.level].end()) {
      return Status(ErrorCode::kNotFound,
                    checkout + " has no problem " + std::to_string(sample.problem) +
                        " in KernelBench/level" + std::to_string(sample.level) + ", which " +
                        path.string() + " answers");
    }
    VerifyItem item;
    const std::string name = path.filename();
    item.key = name.substr(0, name.size() - kSuffix.size());
    KM_ASSIGN(item.reference, ReadFile(problem->second));
    KM_ASSIGN(item.code, ReadFile(path));
    items.push_back(std::move(item));
  }
  return items;
}

Json EvalResults(const std::vector<VerdictLine>& lines) {
  Json::Object results;
  static const std::set<std::string> kNotCompiled = {"no_answer", "not_built", "unsupported"};
  for (const VerdictLine& line : lines) {
    SampleName sample;
    if (!ParseName(line.key, &sample)) continue;
    const std::string& status = line.verdict.Find("status")->as_string();
    Json& list = results[std::to_string(sample.problem)];
    if (list.is_null()) list = Json::Array{};
    list.as_array().push_back(
        Json::Object{{"sample_id", sample.sample},
                     {"compiled", !kNotCompiled.contains(status)},
                     {"correctness", status == "correct"},
                     {"metadata", Json::Object{{"hardware", "CPU executor"},
                                               {"status", status},
                                               {"reason", *line.verdict.Find("reason")},
                                               {"policy", *line.verdict.Find("policy")}}},
                     {"runtime", -1.0},
                     {"runtime_stats", Json::Object{}}});
  }
  return results;
}

Result<std::vector<VerifyItem>> ReadCandidates(const std::string& dataset,
                                               const std::string& path) {
  KM_ASSIGN(DatasetReader reader, DatasetReader::Open(dataset));
  KM_ASSIGN(const std::string text, ReadFile(path));
  std::vector<VerifyItem> items;
  std::set<std::string> keys;
  std::int64_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view row = std::string_view(text).substr(at, end - at);
    at = end + 1;
    ++number;
    if (row.empty()) continue;
    const std::string where = path + ":" + std::to_string(number);
    const Result<Json> json = Json::Parse(row);
    if (!json.ok()) return Status(ErrorCode::kCorrupt, where + ": " + json.status().message());
    const Json *task = json->Find("task"), *code = json->Find("code");
    const Json *message = json->Find("message"), *id = json->Find("id");
    const Json* answer = code != nullptr ? code : message;
    if (task == nullptr || !task->is_string() || answer == nullptr || !answer->is_string()) {
      return Status(ErrorCode::kCorrupt,
                    where + ": it has to have \"task\" and \"code\" or \"message\"");
    }
    KM_ASSIGN(const Digest content_id, reader.Resolve(task->as_string()));
    KM_ASSIGN(const std::optional<Record> record, reader.Find(content_id));
    if (!record || record->kind != RecordKind::kTask) {
      return Status(ErrorCode::kNotFound,
                    where + ": " + task->as_string() + " is no task of " + dataset);
    }
    KM_ASSIGN(Task found, Task::FromJson(record->payload));
    VerifyItem item;
    item.key = id != nullptr && id->is_string() ? id->as_string() : std::to_string(number);
    if (!keys.insert(item.key).second) {
      return Status(ErrorCode::kCorrupt, where + ": the id " + item.key + " is there twice");
    }
    item.reference = std::move(found.code);
    item.code = code != nullptr ? std::optional<std::string>(code->as_string())
                                : FindCandidateCode(message->as_string());
    items.push_back(std::move(item));
  }
  return items;
}

}  // namespace kernelmill
