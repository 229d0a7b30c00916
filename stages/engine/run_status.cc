#include "stages/engine/run_status.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "manifests/commit_file.h"
#include "manifests/dataset_manifest.h"
#include "manifests/json_fields.h"
#include "manifests/plan.h"
#include "stages/engine/partition_writer.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

bool IsLocked(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool locked = flock(fd, LOCK_SH | LOCK_NB) != 0;
  close(fd);
  return locked;
}

Result<RunStatus::StepStatus> ReadStep(const std::string& folder) {
  KM_ASSIGN(const std::string text, ReadFile(folder + "/plan.json"));
  KM_ASSIGN(const Json json, Json::Parse(text));
  KM_ASSIGN(const Plan plan, Plan::FromJson(json));
  RunStatus::StepStatus status;
  status.step = plan.step;
  status.inputs = plan.inputs;
  status.partitions = plan.partitions;
  status.leases = LiveLeases(folder);
  for (std::int64_t partition = 0; partition < plan.partitions; ++partition) {
    if (!IsCommitted(folder, partition)) continue;
    KM_ASSIGN(const PartitionManifest manifest, ReadPartitionManifest(folder, plan, partition));
    ++status.committed;
    status.counts.Add(manifest.counts);
  }
  return status;
}

// Of the steps that the run consists of. Empty for a run without a list, such as one of `verify`.
Result<std::vector<std::string>> StepsWithoutPlan(
    const std::string& state, const std::vector<RunStatus::StepStatus>& planned) {
  std::vector<std::string> left;
  const Result<std::string> text = ReadFile(state + "/" + std::string(kStepListName));
  if (text.status().code() == ErrorCode::kNotFound) return left;
  if (!text.ok()) return text.status();
  KM_ASSIGN(const Json list, Json::Parse(*text));
  if (!list.is_array()) return left;
  for (const Json& name : list.as_array()) {
    const bool known = std::any_of(planned.begin(), planned.end(), [&](const auto& step) {
      return name.is_string() && step.step == name.as_string();
    });
    if (name.is_string() && !known) left.push_back(name.as_string());
  }
  return left;
}

// A line with the partitions that each host works on; empty when there are none.
std::string WorkText(const std::vector<PartitionLease>& leases) {
  std::map<std::string, std::string> partitions;
  for (const PartitionLease& lease : leases) {
    std::string& text = partitions[lease.host];
    text += (text.empty() ? "" : ", ") + std::to_string(lease.partition);
  }
  std::string line;
  for (const auto& [host, text] : partitions) {
    line += (line.empty() ? "    at work: " : "; ") + host + " on partition " + text;
  }
  return line.empty() ? line : line + "\n";
}

}  // namespace

std::string RunStatus::Text() const {
  std::string text = folder + ": ";
  text += published ? "a complete dataset" : running ? "a run is in progress" : "an unfinished run";
  text += published ? "\n" : running ? "\n" : "; the command that started it resumes it\n";
  for (const StepStatus& step : steps) {
    text += "  " + step.step + ": " + std::to_string(step.counts.in) + " of " +
            std::to_string(step.inputs) + " " + step.takes + " in " +
            std::to_string(step.committed) + " of " + std::to_string(step.partitions) +
            " partitions; " + std::to_string(step.counts.kept) + " kept, " +
            std::to_string(step.counts.Dropped()) + " dropped, " +
            std::to_string(step.counts.Rejected()) + " rejected\n";
    text += WorkText(step.leases);
  }
  for (const std::string& step : to_come) text += "  " + step + ": not begun\n";
  return text;
}

Json RunStatus::ToJson() const {
  Json::Array all;
  for (const StepStatus& step : steps) {
    Json::Array leases;
    for (const PartitionLease& lease : step.leases) {
      leases.push_back(Json::Object{{"partition", lease.partition},
                                    {"host", lease.host},
                                    {"pid", lease.pid},
                                    {"taken", lease.taken}});
    }
    all.push_back(Json::Object{{"step", step.step},
                               {"takes", step.takes},
                               {"inputs", step.inputs},
                               {"partitions", step.partitions},
                               {"committed", step.committed},
                               {"counts", step.counts.ToJson()},
                               {"leases", std::move(leases)}});
  }
  return Json::Object{{"folder", folder},
                      {"published", published},
                      {"running", running},
                      {"steps", all},
                      {"to_come", kernelmill::ToJson(to_come)}};
}

Result<RunStatus> ReadRunStatus(const std::string& folder, const std::vector<StepSpec>& table) {
  RunStatus status;
  status.folder = folder;
  const std::string state = folder + "/" + std::string(kRunFolderName);
  status.published = access((folder + "/" + std::string(kManifestName)).c_str(), F_OK) == 0;
  status.running = IsLocked(state + "/lock");
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(state + "/steps", error)) {
    if (!fs::exists(entry.path() / "plan.json", error)) continue;
    KM_ASSIGN(RunStatus::StepStatus step, ReadStep(entry.path().string()));
    const StepSpec* const spec = FindStep(table, step.step);
    step.takes = spec == nullptr ? "inputs" : std::string(spec->takes);
    status.running |= !step.leases.empty();
    status.steps.push_back(std::move(step));
  }
  // Steps of another version of the program, which the table does not have, come last.
  const auto place = [&](const RunStatus::StepStatus& step) {
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const StepSpec& spec) { return spec.name == step.step; });
    return std::pair(found - table.begin(), std::string_view(step.step));
  };
  std::sort(status.steps.begin(), status.steps.end(),
            [&](const auto& a, const auto& b) { return place(a) < place(b); });
  KM_ASSIGN(status.to_come, StepsWithoutPlan(state, status.steps));
  if (!status.published && !status.running && status.steps.empty()) {
    return Status(ErrorCode::kNotFound, folder + " holds neither a dataset nor a run");
  }
  return status;
}

}  // namespace kernelmill
