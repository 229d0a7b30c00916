#include "stages/engine/partition_work.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "corpora/shards/shard.h"
#include "stages/engine/interrupt.h"
#include "stages/engine/partition_lease.h"
#include "stages/engine/partition_writer.h"
#include "stages/engine/pipeline.h"

namespace kernelmill {
namespace {

// How often to look at partitions that other processes are doing.
constexpr std::chrono::milliseconds kLook{200};

bool IsEmpty(const Plan& plan, std::int64_t partition) {
  return plan.FirstInputOf(partition) == plan.FirstInputOf(partition + 1);
}

// Reads the inputs of partitions one after the other, in batches. `begin` is asked before each
// partition, and says whether to read it.
class InputStream {
 public:
  using Begin = std::function<Result<bool>(std::int64_t partition)>;
  InputStream(const ShardReader& inputs, const Plan& plan, std::vector<std::int64_t> partitions,
              Begin begin)
      : inputs_(inputs),
        plan_(plan),
        partitions_(std::move(partitions)),
        begin_(std::move(begin)) {}

  Result<std::optional<Work>> Next() {
    while (position_ == batch_.size()) {
      if (at_ == partitions_.size()) return std::optional<Work>();
      const std::int64_t partition = partitions_[at_];
      if (taken_ == 0) {
        KM_ASSIGN(const bool begun, begin_(partition));
        if (!begun) {
          ++at_;
          continue;
        }
      }
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
  Begin begin_;
  std::size_t at_ = 0;
  std::int64_t taken_ = 0;  // Inputs taken from the current partition.
  std::vector<Input> batch_;
  std::size_t position_ = 0;
};

// Writes outcomes into the partitions one after the other, and commits each partition after its
// last input.
class PartitionSequence {
 public:
  PartitionSequence(std::string folder, const Plan& plan, LeaseKeeper* leases)
      : folder_(std::move(folder)), plan_(plan), leases_(*leases) {}

  Status Take(const Work& work, const Outcome& outcome) {
    if (!writer_) {
      KM_ASSIGN(writer_, PartitionWriter::Create(folder_, plan_, work.partition));
    }
    KM_RETURN_IF_ERROR(writer_->Add(work.input, outcome));
    const std::int64_t size =
        plan_.FirstInputOf(work.partition + 1) - plan_.FirstInputOf(work.partition);
    if (writer_->counts().in < size) return Status::Ok();
    KM_RETURN_IF_ERROR(Close());
    leases_.GiveBack(work.partition);
    return Status::Ok();
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
  LeaseKeeper& leases_;
  std::optional<PartitionWriter> writer_;
  StepCounts committed_;
};

}  // namespace

std::vector<std::int64_t> MissingPartitions(const std::string& step_folder, const Plan& plan,
                                            const Share& share) {
  std::vector<std::int64_t> missing;
  for (std::int64_t partition = 0; partition < plan.partitions; ++partition) {
    if (share.Has(partition) && !IsCommitted(step_folder, partition)) missing.push_back(partition);
  }
  return missing;
}

Status WorkOnPartitions(Step& step, const Plan& plan, const std::string& step_folder,
                        std::vector<std::int64_t> partitions, int jobs, Progress* progress) {
  KM_ASSIGN(const ShardReader inputs, ShardReader::Open(step_folder + "/" + plan.inputs_file));
  LeaseKeeper leases(step_folder);
  PartitionSequence sequence(step_folder, plan, &leases);
  const auto empty = std::stable_partition(partitions.begin(), partitions.end(),
                                           [&](std::int64_t one) { return !IsEmpty(plan, one); });
  for (auto one = empty; one != partitions.end(); ++one) {
    KM_RETURN_IF_ERROR(sequence.CommitEmpty(*one));
  }
  partitions.erase(empty, partitions.end());
  while (!partitions.empty()) {
    std::vector<std::int64_t> elsewhere;  // Another process has the lease.
    bool worked = false;
    InputStream stream(inputs, plan, partitions, [&](std::int64_t partition) -> Result<bool> {
      if (IsCommitted(step_folder, partition)) return false;
      KM_ASSIGN(const bool taken, leases.Take(partition));
      if (!taken) elsewhere.push_back(partition);
      worked |= taken;
      return taken;
    });
    KM_RETURN_IF_ERROR(ProcessInOrder(
        step, jobs,
        [&]() -> Result<std::optional<Work>> {
          if (Interrupted()) return std::optional<Work>();
          return stream.Next();
        },
        [&](const Work& work, const Outcome& outcome) {
          const Status status = sequence.Take(work, outcome);
          progress->Update(sequence.counts());
          return status;
        }));
    if (Interrupted()) return InterruptedStatus();
    partitions = std::move(elsewhere);
    if (!partitions.empty() && !worked) Pause(kLook);
  }
  return Status::Ok();
}

}  // namespace kernelmill
