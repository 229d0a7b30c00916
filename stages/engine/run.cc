#include "stages/engine/run.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <random>

#include "manifests/commit_file.h"
#include "manifests/dataset_manifest.h"
#include "stages/engine/interrupt.h"
#include "stages/engine/machine_limits.h"
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

// Reads the inputs of the uncommitted partitions one after the other, in batches.
class InputStream {
 public:
  InputStream(const ShardReader& inputs, const Plan& plan, std::vector<std::int64_t> partitions)
      : inputs_(inputs), plan_(plan), partitions_(std::move(partitions)) {}

  Result<std::optional<Work>> Next() {
    while (position_ == batch_.size()) {
      if (at_ == partitions_.size()) return std::optional<Work>();
      const std::int64_t partition = partitions_[at_];
      const std::int64_t first = plan_.FirstInputOf(partition) + taken_;
      const std::int64_t left = plan_.FirstInputOf(partition + 1) - first;
      if (left == 0) {
        ++at_;
        taken_ = 0;
        continue;
      }
      KM_RETURN_IF_ERROR(Fill(first, std::min<std::int64_t>(left, kBatch)));
      taken_ += static_cast<std::int64_t>(batch_.size());
    }
    return std::optional<Work>({std::move(batch_[position_++]), partitions_[at_]});
  }

 private:
  static constexpr std::int64_t kBatch = 64;

  Status Fill(std::int64_t first, std::int64_t count) {
    batch_.clear();
    position_ = 0;
    const auto visit = [&](std::string_view, std::string_view value, bool* more) -> Status {
      KM_ASSIGN(const auto pair, SplitKeyAndBody(value));
      batch_.push_back({std::string(pair.first), std::string(pair.second)});
      *more = static_cast<std::int64_t>(batch_.size()) < count;
      return Status::Ok();
    };
    KM_RETURN_IF_ERROR(inputs_.ForEach(IndexKey(static_cast<std::uint64_t>(first)), visit));
    if (static_cast<std::int64_t>(batch_.size()) == count) return Status::Ok();
    return Status(ErrorCode::kCorrupt, inputs_.path() + ": holds fewer inputs than its plan says");
  }

  const ShardReader& inputs_;
  const Plan& plan_;
  std::vector<std::int64_t> partitions_;
  std::size_t at_ = 0;
  std::int64_t taken_ = 0;  // Inputs taken from the current partition.
  std::vector<Input> batch_;
  std::size_t position_ = 0;
};

// Writes outcomes into the partitions one after the other, and commits each partition after its
// last input.
class PartitionSequence {
 public:
  PartitionSequence(std::string folder, const Plan& plan)
      : folder_(std::move(folder)), plan_(plan) {}

  Status Take(const Work& work, const Outcome& outcome) {
    if (!writer_) {
      KM_ASSIGN(writer_, PartitionWriter::Create(folder_, plan_, work.partition));
    }
    KM_RETURN_IF_ERROR(writer_->Add(work.input, outcome));
    const std::int64_t size =
        plan_.FirstInputOf(work.partition + 1) - plan_.FirstInputOf(work.partition);
    if (writer_->counts().in < size) return Status::Ok();
    return Close();
  }
  // Commits a partition that has no input, so that every partition has its manifest.
  Status CommitEmpty(std::int64_t partition) {
    KM_ASSIGN(writer_, PartitionWriter::Create(folder_, plan_, partition));
    return Close();
  }
  // The counts of everything taken, committed or not.
  StepCounts counts() const {
    StepCounts all = committed_;
    if (writer_) all.Add(writer_->counts());
    return all;
  }

 private:
  Status Close() {
    KM_RETURN_IF_ERROR(writer_->Commit());
    committed_.Add(writer_->counts());
    writer_.reset();
    return Status::Ok();
  }

  std::string folder_;
  const Plan& plan_;
  std::optional<PartitionWriter> writer_;
  StepCounts committed_;
};

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
    std::filesystem::remove(entry.path(), ignored);
  }
}

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
  const std::string lock = run.StatePath("lock");
  run.lock_fd_ = open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (run.lock_fd_ < 0) return Status::FromErrno("cannot open", lock);
  if (flock(run.lock_fd_, LOCK_EX | LOCK_NB) != 0) {
    return Status(ErrorCode::kBusy, options.output +
                                        ": another kernelmill is working in this folder; wait for "
                                        "it, or give --output another one");
  }
  RemoveTemporaries(options.output + "/.run");
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

Result<Plan> Run::Freeze(Step& step, const Propose& propose, const ShardSorter::Merge& merge) {
  const std::string folder = StepFolder(step.Name());
  Plan plan;
  plan.step = step.Name();
  plan.version = step.Version();
  plan.parameters = step.Parameters();
  plan.tool = options_.tool;
  plan.partitions = options_.partitions;

  Result<Plan> before = ReadPlan(folder);
  if (before.ok()) {
    const std::string change = DescribePlanChange(*before, plan);
    if (!change.empty()) {
      return Status(
          ErrorCode::kPlanChanged,
          options_.output + ": the unfinished run there cannot be resumed, because " + change +
              "; undo the change, give --output another folder, or start again with --restart");
    }
    KM_ASSIGN(const FileEntry file, FileEntry::Of(folder, before->inputs_file));
    if (file.size != before->inputs_size || file.sha256 != before->inputs_sha256) {
      return Status(ErrorCode::kCorrupt,
                    folder + "/" + before->inputs_file +
                        ": not the file that the plan names; --restart starts again");
    }
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
  KM_ASSIGN(const ShardReader inputs, ShardReader::Open(folder + "/" + plan.inputs_file));

  StepCounts all;
  std::vector<std::int64_t> to_do, empty;
  for (std::int64_t partition = 0; partition < plan.partitions; ++partition) {
    if (IsCommitted(folder, partition)) {
      KM_ASSIGN(const PartitionManifest manifest, ReadPartitionManifest(folder, plan, partition));
      all.Add(manifest.counts);
    } else if (plan.FirstInputOf(partition) == plan.FirstInputOf(partition + 1)) {
      empty.push_back(partition);
    } else {
      to_do.push_back(partition);
    }
  }
  if (options_.shuffle) {
    std::shuffle(to_do.begin(), to_do.end(), std::mt19937_64(options_.shuffle_seed));
  }
  Progress progress(plan.step, plan.inputs, all.in);
  PartitionSequence sequence(folder, plan);
  for (std::int64_t partition : empty) KM_RETURN_IF_ERROR(sequence.CommitEmpty(partition));
  InputStream stream(inputs, plan, to_do);
  KM_RETURN_IF_ERROR(ProcessInOrder(
      step, options_.jobs,
      [&]() -> Result<std::optional<Work>> {
        if (Interrupted()) return std::optional<Work>();
        return stream.Next();
      },
      [&](const Work& work, const Outcome& outcome) {
        const Status status = sequence.Take(work, outcome);
        progress.Update(sequence.counts());
        return status;
      }));
  if (Interrupted()) return InterruptedStatus();
  all.Add(sequence.counts());
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

Status Run::RemoveSteps() { return RemoveTree(StatePath("steps")); }

}  // namespace kernelmill
