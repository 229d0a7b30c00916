#include "stages/verify/run/kernelbench_run.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "corpora/kernelbench_checkout.h"
#include "manifests/commit_file.h"
#include "parsers/samples/kernelbench_sample.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> FilesOf(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

Result<std::vector<VerifyItem>> ReadKernelBenchRun(const std::string& checkout,
                                                   const std::string& run, int level) {
  std::vector<std::pair<KernelBenchSampleName, fs::path>> samples;
  for (const fs::path& path : FilesOf(run)) {
    const std::string name = path.filename();
    if (!KernelBenchSampleName::IsFile(name)) continue;
    const KernelBenchSampleName sample = *KernelBenchSampleName::Parse(name);
    if (level == 0 || sample.level == level) samples.emplace_back(sample, path);
  }
  if (samples.empty()) {
    return Status(ErrorCode::kNotFound,
                  run + " holds no level_L_problem_P_sample_S_kernel.py" +
                      (level == 0 ? "" : " of level " + std::to_string(level)));
  }
  std::sort(samples.begin(), samples.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::map<int, std::map<int, fs::path>> problems;
  std::map<fs::path, std::shared_ptr<const std::string>> references;
  std::vector<VerifyItem> items;
  for (const auto& [sample, path] : samples) {
    if (!problems.contains(sample.level)) {
      problems[sample.level] = KernelBenchProblems(checkout, sample.level);
    }
    const auto problem = problems[sample.level].find(sample.problem);
    if (problem == problems[sample.level].end()) {
      return Status(ErrorCode::kNotFound,
                    checkout + " has no problem " + std::to_string(sample.problem) +
                        " in KernelBench/level" + std::to_string(sample.level) + ", which " +
                        path.string() + " answers");
    }
    VerifyItem item;
    item.key = sample.Key();
    item.task = sample.Task();
    item.attempt = sample.sample;
    std::shared_ptr<const std::string>& reference = references[problem->second];
    if (reference == nullptr) {
      KM_ASSIGN(std::string text, ReadFile(problem->second));
      reference = std::make_shared<const std::string>(std::move(text));
    }
    item.reference = reference;
    item.read_code = [path = path.string()]() -> Result<std::optional<std::string>> {
      KM_ASSIGN(std::string code, ReadFile(path));
      return std::optional<std::string>(std::move(code));
    };
    items.push_back(std::move(item));
  }
  return items;
}

std::string EvalResults(const std::vector<VerdictLine>& lines, std::string_view policy) {
  static const std::set<std::string> kNotCompiled = {"no_answer", "not_built", "unsupported"};
  // The samples are written as text immediately, because a JSON tree of thousands of samples takes
  // too much memory.
  std::map<std::string, std::string> samples;  // By problem.
  for (const VerdictLine& line : lines) {
    const auto sample = KernelBenchSampleName::Parse(line.key);
    if (!sample) continue;
    const Json result = Json::Object{{"sample_id", sample->sample},
                                     {"compiled", !kNotCompiled.contains(line.status)},
                                     {"correctness", line.status == "correct"},
                                     {"metadata", Json::Object{{"hardware", "CPU executor"},
                                                               {"status", line.status},
                                                               {"reason", line.reason},
                                                               {"policy", policy}}},
                                     {"runtime", -1.0},
                                     {"runtime_stats", Json::Object{}}};
    std::string& list = samples[std::to_string(sample->problem)];
    list += (list.empty() ? "\n    " : ",\n    ") + result.Dump();
  }
  std::string text = "{";
  for (const auto& [problem, list] : samples) {
    text += (text.size() > 1 ? ",\n  \"" : "\n  \"") + problem + "\": [" + list + "\n  ]";
  }
  return text + "\n}\n";
}

}  // namespace kernelmill
