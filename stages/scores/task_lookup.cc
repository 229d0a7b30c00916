#include "stages/scores/task_lookup.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>

#include "corpora/dataset/dataset_reader.h"
#include "corpora/kernelbench_checkout.h"
#include "corpora/operators/called_name.h"
#include "corpora/operators/operator_table.h"
#include "corpora/records/annotation.h"
#include "manifests/commit_file.h"
#include "parsers/samples/kernelbench_sample.h"
#include "stages/capture/captured_graph.h"
#include "stages/capture/run_capture.h"
#include "stages/samples/sample_tasks.h"
#include "stages/worker/torch_worker.h"

namespace kernelmill {
namespace {

// Set by TaskGenerator::ToRecord().
constexpr char kLevelAttribute[] = "level";

// `sample_less` is "level_2_problem_7".
std::optional<KernelBenchSampleName> ProblemNamed(const std::string& sample_less) {
  return KernelBenchSampleName::Parse(sample_less + "_sample_0");
}

// Operators that compute nothing say nothing about what a task is about.
bool IsAskedFor(OperatorFamily family) {
  return family != OperatorFamily::kShape && family != OperatorFamily::kCreation;
}

// The families of operators that are named as rows of the operator table or as calls.
std::vector<std::string> FamiliesOf(const std::vector<std::string>& operators) {
  std::set<std::string> families;
  for (const std::string& name : operators) {
    const OperatorRow* row = FindOperator(name);
    if (row == nullptr) {
      const std::vector<const OperatorRow*>& rows = RowsCalled(CalledName(name));
      if (!rows.empty()) row = rows.front();
    }
    if (row != nullptr && IsAskedFor(row->family)) {
      families.emplace(OperatorFamilyName(row->family));
    }
  }
  return {families.begin(), families.end()};
}

std::vector<std::string> FamiliesOf(const Annotation& annotation) {
  std::vector<std::string> operators;
  for (const OperatorCall& call : annotation.operators) operators.push_back(call.name);
  return FamiliesOf(operators);
}

// 0 if it is unknown.
std::int64_t LevelOf(const Record& task) {
  const std::int64_t drawn = Json(task.attributes).IntegerAt(kLevelAttribute);
  if (drawn > 0) return drawn;
  for (const Origin& origin : task.origins) {
    if (!origin.supplied()) continue;
    const std::optional<std::string> name = KernelBenchProblemAt(origin.path);
    const std::optional<KernelBenchSampleName> problem = name ? ProblemNamed(*name) : std::nullopt;
    if (problem) return problem->level;
  }
  return 0;
}

// The tasks of a dataset by content_id in hexadecimal digits.
using DatasetTasks = std::map<std::string, TaskTraits>;

Result<DatasetTasks> ReadTasks(const std::string& folder) {
  KM_ASSIGN(DatasetReader reader, DatasetReader::Open(folder));
  DatasetTasks tasks;
  KM_RETURN_IF_ERROR(reader.ForEach(
      Digest(), [&](const Digest& content_id, const Record& record, bool*) -> Status {
        if (record.kind == RecordKind::kTask) {
          tasks[content_id.Hex()].level = LevelOf(record);
        } else if (record.kind == RecordKind::kAnnotation) {
          KM_ASSIGN(const Annotation annotation, Annotation::FromJson(record.payload));
          tasks[annotation.task.Hex()].families = FamiliesOf(annotation);
        }
        return Status::Ok();
      }));
  return tasks;
}

class KernelBenchTasks {
 public:
  explicit KernelBenchTasks(std::string checkout) : checkout_(std::move(checkout)) {}

  Result<FoundTask> Find(const std::string& name) {
    const auto known = found_.find(name);
    if (known != found_.end()) return known->second;
    const std::optional<KernelBenchSampleName> problem = ProblemNamed(name);
    if (!problem) return Status(ErrorCode::kNotFound, name + " is no problem of KernelBench");
    const auto problems = KernelBenchProblems(checkout_, problem->level);
    const auto path = problems.find(problem->problem);
    if (path == problems.end()) {
      return Status(ErrorCode::kNotFound, checkout_ + " has no " + name);
    }
    FoundTask task{name, {.level = problem->level, .families = {}}};
    KM_ASSIGN(task.traits.families, Capture(path->second));
    return found_.emplace(name, std::move(task)).first->second;
  }

 private:
  Result<std::vector<std::string>> Capture(const std::string& path) {
    if (!worker_) {
      KM_ASSIGN(worker_, TorchWorker::Start());
    }
    KM_ASSIGN(const std::string code, ReadFile(path));
    KM_ASSIGN(CapturedRun run, CaptureRun(code, {}, &*worker_));
    if (!run.obstacle.empty()) return std::vector<std::string>();
    return FamiliesOf(GraphOfRun(std::move(run)).operators);
  }

  std::string checkout_;
  std::optional<TorchWorker> worker_;
  std::map<std::string, FoundTask> found_;
};

}  // namespace

Result<TaskLookup> TasksOfDataset(const std::string& folder) {
  KM_ASSIGN(DatasetTasks tasks, ReadTasks(folder));
  return TasksKnown(std::move(tasks), folder);
}

TaskLookup TasksKnown(std::map<std::string, TaskTraits> known, std::string where) {
  const auto tasks = std::make_shared<const DatasetTasks>(std::move(known));
  return [tasks, where = std::move(where)](const std::string& name) -> Result<FoundTask> {
    const auto found = tasks->lower_bound(name);
    const bool fits = name.size() >= kShortestTaskPrefix && found != tasks->end() &&
                      found->first.starts_with(name);
    if (!fits) return Status(ErrorCode::kNotFound, "'" + name + "' is no task of " + where);
    const auto next = std::next(found);
    if (next != tasks->end() && next->first.starts_with(name)) {
      return Status(ErrorCode::kUsage, "'" + name + "' begins several tasks of " + where);
    }
    return FoundTask{found->first, found->second};
  };
}

Result<TaskTraits> TraitsOf(const Record& task, const Record* annotation) {
  TaskTraits traits;
  traits.level = LevelOf(task);
  if (annotation == nullptr) return traits;
  KM_ASSIGN(const Annotation facts, Annotation::FromJson(annotation->payload));
  traits.families = FamiliesOf(facts);
  return traits;
}

Result<TaskLookup> TasksOfKernelBench(const std::string& checkout) {
  bool any = false;
  for (const int level : kKernelBenchLevels) any |= !KernelBenchProblems(checkout, level).empty();
  if (!any) {
    return Status(ErrorCode::kNotFound,
                  checkout + " has no KernelBench/level1: give a checkout of KernelBench");
  }
  const auto tasks = std::make_shared<KernelBenchTasks>(checkout);
  return TaskLookup([tasks](const std::string& name) { return tasks->Find(name); });
}

TaskLookup TasksByName() {
  return [](const std::string& name) -> Result<FoundTask> {
    const std::optional<KernelBenchSampleName> problem = ProblemNamed(name);
    return FoundTask{name, {.level = problem ? problem->level : 0, .families = {}}};
  };
}

}  // namespace kernelmill
