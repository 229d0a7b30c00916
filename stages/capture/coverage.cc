#include "stages/capture/coverage.h"

#include <utility>

#include "corpora/kernelbench_checkout.h"
#include "manifests/commit_file.h"
#include "manifests/json_fields.h"
#include "stages/capture/captured_graph.h"
#include "stages/capture/run_capture.h"
#include "stages/worker/torch_worker.h"

namespace kernelmill {
namespace {

Result<ProblemCoverage> Cover(TorchWorker* worker, const std::filesystem::path& path, int level) {
  ProblemCoverage problem;
  problem.level = level;
  problem.name = path.stem();
  KM_ASSIGN(const std::string code, ReadFile(path));
  KM_ASSIGN(CapturedRun run, CaptureRun(code, {}, worker));
  problem.not_captured = std::move(run.obstacle);
  if (!problem.not_captured.empty()) return problem;
  for (const CapturedValue& value : run.values) {
    const bool given = value.role == CapturedValue::Role::kInput && value.type;
    if (given) problem.elements += value.type->shape.Elements();
  }
  CapturedGraph capture = GraphOfRun(std::move(run));
  problem.unknown = std::move(capture.unknown);
  problem.unfit = std::move(capture.unfit);
  problem.operators = std::move(capture.operators);
  if (capture.complete()) problem.cost = capture.graph.Cost();
  return problem;
}

}  // namespace

Result<std::vector<ProblemCoverage>> CoverKernelBench(const std::string& checkout) {
  std::vector<ProblemCoverage> problems;
  KM_ASSIGN(TorchWorker worker, TorchWorker::Start());
  for (const int level : kKernelBenchLevels) {
    for (const auto& [number, path] : KernelBenchProblems(checkout, level)) {
      KM_ASSIGN(ProblemCoverage problem, Cover(&worker, path, level));
      problems.push_back(std::move(problem));
    }
  }
  if (problems.empty()) {
    return Status(ErrorCode::kNotFound,
                  checkout + " has no KernelBench/level1: give a checkout of KernelBench");
  }
  return problems;
}

std::map<int, LevelCoverage> ByLevel(const std::vector<ProblemCoverage>& problems) {
  std::map<int, LevelCoverage> levels;
  for (const ProblemCoverage& problem : problems) {
    LevelCoverage& level = levels[problem.level];
    const bool captured = problem.not_captured.empty();
    const bool known = captured && problem.unknown.empty();
    ++level.problems;
    level.captured += captured;
    level.known += known;
    level.complete += known && problem.unfit.empty();
  }
  return levels;
}

Json CoverageJson(const std::vector<ProblemCoverage>& problems) {
  Json levels = Json::Object();
  for (const auto& [number, level] : ByLevel(problems)) {
    levels[std::to_string(number)] = Json::Object{{"problems", level.problems},
                                                  {"captured", level.captured},
                                                  {"known", level.known},
                                                  {"complete", level.complete}};
  }
  Json::Array list;
  for (const ProblemCoverage& problem : problems) {
    const bool whole =
        problem.not_captured.empty() && problem.unknown.empty() && problem.unfit.empty();
    list.push_back(Json::Object{{"level", problem.level},
                                {"name", problem.name},
                                {"operators", ToJson(problem.operators)},
                                {"elements", problem.elements},
                                {"flops", whole ? Json(problem.cost.flops) : Json()},
                                {"bytes", whole ? Json(problem.cost.bytes) : Json()},
                                {"not_captured", problem.not_captured},
                                {"unknown", ToJson(problem.unknown)},
                                {"unfit", problem.unfit}});
  }
  return Json::Object{{"levels", std::move(levels)}, {"problems", std::move(list)}};
}

std::string CoverageText(const std::vector<ProblemCoverage>& problems) {
  std::string text;
  for (const auto& [number, level] : ByLevel(problems)) {
    text += "level " + std::to_string(number) + ": " + std::to_string(level.problems) +
            " problems, " + std::to_string(level.captured) + " captured, " +
            std::to_string(level.known) + " of known operators only, " +
            std::to_string(level.complete) + " as graphs\n";
  }
  // From each missing operator or reason to the problems that have it.
  std::map<std::string, std::vector<std::string>> missing;
  for (const ProblemCoverage& problem : problems) {
    std::vector<std::string> reasons = problem.unknown;
    if (!problem.not_captured.empty()) reasons.push_back(problem.not_captured);
    if (!problem.unfit.empty()) reasons.push_back(problem.unfit);
    for (const std::string& reason : reasons) {
      missing[reason].push_back(std::to_string(problem.level) + "/" + problem.name);
    }
  }
  for (const auto& [reason, where] : missing) {
    text += reason + ": " + std::to_string(where.size()) + ", first in " + where.front() + "\n";
  }
  return text;
}

}  // namespace kernelmill
