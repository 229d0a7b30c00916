#include "stages/engine/run.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <random>

#include "manifests/commit_file.h"
#include "manifests/dataset_manifest.h"
#include "stages/engine/interrupt.h"
#include "stages/engine/machine_limits.h"
#include "stages/engine/partition_lease.h"
#include "stages/engine/partition_writer.h"
#include "stages/engine/pipeline.h"
#include "stages/engine/progress.h"

namespace kernelmill {
namespace {

constexpr char kPlanFile[] = "plan.json";
constexpr char kInputsFile[] = "inputs.mdb";

Status RemoveTree(const std::string& path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
  if (error) return Status(ErrorCode::kIo, "cannot remove " + path + ": " + error.message());
  return Status::Ok();
}

Result<Plan> ReadPlan(const std::string& folder) {
  const std::string path = folder + "/" + kPlanFile;
  KM_ASSIGN(const std::string text, ReadFile(path));
  const auto corrupt = [&](const Status& why) {
    return Status(ErrorCode::kCorrupt, path + ": " + why.message() + "; --restart starts again");
  };
  const Result<Json> json = Json::Parse(text);
  if (!json.ok()) return corrupt(json.status());
  Result<Plan> plan = Plan::FromJson(*json);
  if (!plan.ok()) return corrupt(plan.status());
  return plan;
}

// Publishing clears folders and lists every file, so a folder with other files is refused.
Status CheckOurs(const std::string& folder) {
  std::error_code error;
  if (std::filesystem::exists(folder + "/" + std::string(kRunFolderName), error) ||
      !std::filesystem::is_directory(folder, error) || std::filesystem::is_empty(folder, error)) {
    return Status::Ok();
  }
  return Status(
      ErrorCode::kExists,
      folder + " holds files that do not belong to a run; give --output a new or empty folder");
}

// Removes unfinished files of dead runs that lie directly in `folder`.
void RemoveTemporaries(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (!IsTemporaryPath(entry.path().string())) continue;
    std::error_code ignored;
    std::filesystem::remove_all(entry.path(), ignored);
  }
}

// Opens and locks the file. Negative if another process has a lock on it that excludes this one.
// `operation` is LOCK_EX or LOCK_SH.
Result<int> Lock(const std::string& path, int operation) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return Status::FromErrno("cannot open", path);
  if (flock(fd, operation | LOCK_NB) == 0) return fd;
  const bool is_held = errno == EWOULDBLOCK;
  const Status status = Status::FromErrno("cannot lock", path);
  close(fd);
  return is_held ? Result<int>(-1) : status;
}

// The inputs must be those that the plan names.
Status CheckInputs(const std::string& folder, const Plan& plan) {
  KM_ASSIGN(const FileEntry file, FileEntry::Of(folder, plan.inputs_file));
  if (file.size == plan.inputs_size && file.sha256 == plan.inputs_sha256) return Status::Ok();
  return Status(ErrorCode::kCorrupt,
                folder + "/" + plan.inputs_file +
                    ": not the file that the plan names; --restart starts again");
}

std::int64_t InputsOf(const Plan& plan, const std::vector<std::int64_t>& partitions) {
  std::int64_t inputs = 0;
  for (const std::int64_t partition : partitions) {
    inputs += plan.FirstInputOf(partition + 1) - plan.FirstInputOf(partition);
  }
  return inputs;
}

std::string NumbersText(const std::vector<std::int64_t>& numbers) {
  constexpr std::size_t kMost = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(numbers.size(), kMost); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(numbers[i]);
  }
  return numbers.size() > kMost ? text + " …" : text;
}

constexpr char kLeaderLock[] = "lock", kRanksLock[] = "ranks";

}  // namespace

Result<Run> Run::Open(const RunOptions& options) {
  if (options.partitions < 1 || options.partitions > kMostPartitions) {
    return Status(ErrorCode::kConfig, "partitions: must be between 1 and " +
                                          std::to_string(kMostPartitions) + ", not be " +
                                          std::to_string(options.partitions));
  }
  if (!options.shared) KM_RETURN_IF_ERROR(CheckOurs(options.output));
  Run run(options);
  run.options_.jobs = ThreadsOf(run.options_.jobs);
  KM_RETURN_IF_ERROR(CheckLimits(run.options_.jobs));
  KM_RETURN_IF_ERROR(MakeFolders(options.output + "/.run/steps"));
  KM_ASSIGN(run.lock_fd_, Lock(run.StatePath(kLeaderLock), LOCK_EX));
  if (run.lock_fd_ < 0) {
    return Status(ErrorCode::kBusy, options.output +
                                        ": another kernelmill is working in this folder; wait for "
                                        "it, or give --output another one");
  }
  RemoveTemporaries(options.output + "/.run");
  return run;
}

Result<Run> Run::Join(const RunOptions& options) {
  Run run(options);
  run.options_.jobs = ThreadsOf(run.options_.jobs);
  KM_RETURN_IF_ERROR(CheckLimits(run.options_.jobs));
  std::error_code error;
  if (!std::filesystem::is_directory(run.StatePath("steps"), error)) {
    return Status(ErrorCode::kNotFound, options.output + " holds no unfinished run");
  }
  KM_ASSIGN(run.lock_fd_, Lock(run.StatePath(kRanksLock), LOCK_SH));
  if (run.lock_fd_ < 0) {
    return Status(ErrorCode::kBusy, options.output + ": this run is being started again");
  }
  return run;
}

Run::Run(Run&& other) noexcept
    : options_(std::move(other.options_)),
      lock_fd_(std::exchange(other.lock_fd_, -1)),
      finished_(std::move(other.finished_)) {}
Run& Run::operator=(Run&& other) noexcept {
  std::swap(options_, other.options_);
  std::swap(lock_fd_, other.lock_fd_);
  std::swap(finished_, other.finished_);
  return *this;
}
Run::~Run() {
  if (lock_fd_ >= 0) close(lock_fd_);
}

std::string Run::StatePath(const std::string& name) const {
  return options_.output + "/.run/" + name;
}
std::string Run::StepFolder(std::string_view step) const {
  return StatePath("steps/" + std::string(step));
}

Result<Plan> Run::PlanOf(std::string_view step) const { return ReadPlan(StepFolder(step)); }

bool Run::IsComplete(std::string_view step) const {
  const Result<Plan> plan = PlanOf(step);
  if (!plan.ok()) return false;
  const std::string folder = StepFolder(step);
  for (std::int64_t partition = 0; partition < plan->partitions; ++partition) {
    if (!IsCommitted(folder, partition)) return false;
  }
  return true;
}

Plan Run::PlanFor(const Step& step) const {
  Plan plan;
  plan.step = step.Name();
  plan.version = step.Version();
  plan.parameters = step.Parameters();
  plan.tool = options_.tool;
  plan.partitions = options_.partitions;
  return plan;
}

Result<Plan> Run::Freeze(Step& step, const Propose& propose, const ShardSorter::Merge& merge) {
  const std::string folder = StepFolder(step.Name());
  Plan plan = PlanFor(step);
  Result<Plan> before = ReadPlan(folder);
  if (before.ok()) {
    const std::string change = DescribePlanChange(*before, plan);
    if (!change.empty()) {
      return Status(
          ErrorCode::kPlanChanged,
          options_.output + ": the unfinished run there cannot be resumed, because " + change +
              "; undo the change, give --output another folder, or start again with --restart");
    }
    KM_RETURN_IF_ERROR(CheckInputs(folder, *before));
    return before;
  }
  if (before.status().code() != ErrorCode::kNotFound) return before.status();

  // Existing files have no plan: they are left from a run that died while it froze its inputs.
  KM_RETURN_IF_ERROR(RemoveTree(folder));
  KM_RETURN_IF_ERROR(MakeFolders(folder));
  KM_ASSIGN(ShardSorter sorter, ShardSorter::Create(folder, merge));
  KM_RETURN_IF_ERROR(propose([&](std::string key, std::string body) -> Status {
    if (Interrupted()) return InterruptedStatus();
    ++plan.proposed;
    return sorter.Put(key, body);
  }));
  const std::string path = folder + "/" + kInputsFile;
  KM_ASSIGN(
      ShardWriter writer,
      ShardWriter::Create(path, {.schema = "kernelmill.inputs.v1", .dictionary = "", .level = 1}));
  Sha256 hash;
  KM_RETURN_IF_ERROR(sorter.ForEach([&](std::string_view key, std::string_view body, bool*) {
    hash.Field(key).Field(body);
    return writer.Append(IndexKey(writer.count()), JoinKeyAndBody(key, body));
  }));
  plan.inputs = static_cast<std::int64_t>(writer.count());
  plan.inputs_digest = hash.Finish();
  KM_RETURN_IF_ERROR(writer.Finish());
  KM_ASSIGN(const FileEntry file, FileEntry::Of(folder, kInputsFile));
  plan.inputs_file = file.path;
  plan.inputs_size = file.size;
  plan.inputs_sha256 = file.sha256;
  KM_RETURN_IF_ERROR(CommitFile(folder + "/" + kPlanFile, plan.ToJson().Pretty()));
  return plan;
}

Result<StepCounts> Run::Do(Step& step, const Propose& propose, ShardSorter::Merge merge) {
  const std::string folder = StepFolder(step.Name());
  KM_ASSIGN(const Plan plan, Freeze(step, propose, merge));
  std::vector<std::int64_t> missing = MissingPartitions(folder, plan);
  const std::int64_t left = InputsOf(plan, missing);
  if (options_.shuffle) {
    std::shuffle(missing.begin(), missing.end(), std::mt19937_64(options_.shuffle_seed));
  }
  Progress progress(plan.step, plan.inputs, plan.inputs - left);
  const bool elsewhere = options_.executor != nullptr && options_.executor->Takes(plan.step);
  if (elsewhere) {
    // What has no inputs is not worth a process elsewhere.
    std::erase_if(missing, [&](std::int64_t one) { return InputsOf(plan, {one}) > 0; });
  }
  KM_RETURN_IF_ERROR(
      WorkOnPartitions(step, plan, folder, std::move(missing), options_.jobs, &progress));
  if (elsewhere && left > 0) {
    KM_RETURN_IF_ERROR(options_.executor->Complete({plan, options_.output, folder}, &progress));
  }
  StepCounts all;
  for (std::int64_t partition = 0; partition < plan.partitions; ++partition) {
    KM_ASSIGN(const PartitionManifest manifest, ReadPartitionManifest(folder, plan, partition));
    all.Add(manifest.counts);
  }
  KM_RETURN_IF_ERROR(all.Check(plan.step));
  if (all.in != plan.inputs) {
    return Status(ErrorCode::kInternal, plan.step + ": " + std::to_string(plan.inputs) +
                                            " inputs planned, " + std::to_string(all.in) +
                                            " accounted for");
  }
  if (plan.proposed > plan.inputs) all.counters["equal_inputs"] = plan.proposed - plan.inputs;
  progress.Finish(all);
  finished_.push_back({plan, all});
  return all;
}

Status Run::DoShare(Step& step, const Share& share) {
  const std::string folder = StepFolder(step.Name()), name(step.Name());
  const Result<Plan> plan = PlanOf(name);
  if (plan.status().code() == ErrorCode::kNotFound) {
    return Status(ErrorCode::kBusy, options_.output + ": the step " + name +
                                        " has no plan yet; the command that leads the run makes "
                                        "it. Try again when it has");
  }
  KM_RETURN_IF_ERROR(plan.status());
  Plan own = PlanFor(step);
  own.partitions = plan->partitions;
  if (const std::string change = DescribePlanChange(*plan, own); !change.empty()) {
    return Status(ErrorCode::kPlanChanged,
                  options_.output + ": this is not the program or configuration that the step " +
                      name + " was planned with, because " + change);
  }
  KM_RETURN_IF_ERROR(CheckInputs(folder, *plan));
  std::vector<std::int64_t> missing = MissingPartitions(folder, *plan, share);
  Progress progress(name, InputsOf(*plan, missing), 0);
  const Status status = WorkOnPartitions(step, *plan, folder, missing, options_.jobs, &progress);
  if (!status.ok() && PlanOf(name).status().code() == ErrorCode::kNotFound) {
    return Status(ErrorCode::kPlanChanged, options_.output +
                                               ": the run ended or was started again while this "
                                               "rank was at work, so its work is not needed");
  }
  return status;
}

Status Run::Recall(std::string_view step) {
  const std::string name(step), folder = StepFolder(step);
  Result<Plan> plan = PlanOf(step);
  if (plan.status().code() == ErrorCode::kNotFound) {
    return Status(ErrorCode::kBusy, options_.output + ": the step " + name +
                                        ", which comes before, has not begun; try again when it "
                                        "is finished");
  }
  KM_RETURN_IF_ERROR(plan.status());
  if (const auto missing = MissingPartitions(folder, *plan); !missing.empty()) {
    return Status(ErrorCode::kBusy, options_.output + ": the step " + name +
                                        ", which comes before, is not finished: it lacks "
                                        "partitions (" +
                                        NumbersText(missing) + "); try again when it is");
  }
  finished_.push_back({*std::move(plan), StepCounts()});
  return Status::Ok();
}

Status Run::ForEachOutput(std::string_view step, const VisitOutput& visit) const {
  KM_ASSIGN(const Plan plan, PlanOf(step));
  const std::string folder = StepFolder(step);
  for (std::int64_t partition = 0; partition < plan.partitions; ++partition) {
    KM_ASSIGN(const PartitionManifest manifest, ReadPartitionManifest(folder, plan, partition));
    KM_ASSIGN(const ShardReader outputs, ShardReader::Open(folder + "/" + manifest.files[0].path));
    KM_RETURN_IF_ERROR(
        outputs.ForEach("", [&](std::string_view, std::string_view value, bool*) -> Status {
          if (Interrupted()) return InterruptedStatus();
          KM_ASSIGN(const auto pair, SplitKeyAndBody(value));
          return visit(pair.first, pair.second);
        }));
  }
  return Status::Ok();
}

Run::Propose Run::OutputsOf(std::string step) const {
  return [this, step = std::move(step)](const Emit& emit) {
    return ForEachOutput(step, [&](std::string_view key, std::string_view body) {
      return emit(std::string(key), std::string(body));
    });
  };
}

Status Run::ForEachInput(std::string_view step, const VisitOutput& visit) const {
  KM_ASSIGN(const Plan plan, PlanOf(step));
  KM_ASSIGN(const ShardReader inputs, ShardReader::Open(StepFolder(step) + "/" + plan.inputs_file));
  return inputs.ForEach("", [&](std::string_view, std::string_view value, bool*) -> Status {
    if (Interrupted()) return InterruptedStatus();
    KM_ASSIGN(const auto pair, SplitKeyAndBody(value));
    return visit(pair.first, pair.second);
  });
}

Status Run::ForEachReject(std::string_view step, const VisitOutput& visit) const {
  KM_ASSIGN(const Plan plan, PlanOf(step));
  const std::string folder = StepFolder(step);
  for (std::int64_t partition = 0; partition < plan.partitions; ++partition) {
    KM_ASSIGN(const PartitionManifest manifest, ReadPartitionManifest(folder, plan, partition));
    KM_ASSIGN(const ShardReader rejects, ShardReader::Open(folder + "/" + manifest.files[1].path));
    KM_RETURN_IF_ERROR(rejects.ForEach("", [&](std::string_view key, std::string_view value,
                                               bool*) { return visit(key, value); }));
  }
  return Status::Ok();
}

Status Run::RemoveSteps() {
  // The folder is moved first, so that no rank that is still at work creates files in it.
  const std::string moved = TemporaryPath(StatePath("steps"));
  if (rename(StatePath("steps").c_str(), moved.c_str()) != 0) {
    return errno == ENOENT ? Status::Ok() : Status::FromErrno("cannot move", StatePath("steps"));
  }
  return RemoveTree(moved);
}

Status Run::DiscardSteps() {
  KM_ASSIGN(const int lock, Lock(StatePath(kRanksLock), LOCK_EX));
  bool busy = lock < 0;
  // Not every file system knows the locks of other machines.
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(StatePath("steps"), error)) {
    busy |= !LiveLeases(entry.path().string()).empty();
  }
  const Status status =
      busy ? Status(ErrorCode::kBusy, options_.output +
                                          ": ranks are at work on the unfinished run there; end "
                                          "them or wait for them (kernelmill status lists them)")
           : RemoveSteps();
  if (lock >= 0) close(lock);
  return status;
}

}  // namespace kernelmill
