#include "stages/launch/slurm_executor.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <utility>

#include "manifests/commit_file.h"
#include "stages/engine/interrupt.h"
#include "stages/launch/commit_watch.h"
#include "stages/launch/slurm_queue.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kFirstLook{100}, kLastLook{3000};
// How long commands of Slurm may fail, for example while its controller starts again.
constexpr std::chrono::minutes kSlurmPatience{5};
// How often ranks are submitted again without a new commit in between.
constexpr int kFruitlessRounds = 5;
constexpr std::size_t kLogEnd = 2000;

std::int64_t WorldOf(const SlurmChoice& choice, std::int64_t partitions) {
  return choice.world > 0 ? std::min(choice.world, partitions) : partitions;
}

// Cuts the ranks so that the tasks of each array are numbered below `largest_array`.
std::vector<RankJob> JobsFor(const RankJob& common, const std::vector<std::int64_t>& ranks,
                             std::int64_t largest_array) {
  std::vector<RankJob> jobs;
  for (const std::int64_t rank : ranks) {
    if (jobs.empty() || rank >= jobs.back().offset + largest_array) {
      jobs.push_back(common);
      jobs.back().offset = rank / largest_array * largest_array;
    }
    jobs.back().ranks.push_back(rank);
  }
  return jobs;
}

RankJob JobOf(const std::string& output, const std::string& step, const std::string& folder,
              std::int64_t world, const std::string& identity) {
  std::error_code error;
  RankJob job;
  job.program = fs::read_symlink("/proc/self/exe", error).string();
  job.output = fs::weakly_canonical(fs::absolute(output, error), error).string();
  job.step = step;
  job.folder = fs::weakly_canonical(fs::absolute(folder, error), error).string();
  job.world = world;
  job.name = "kernelmill-" + step + "-" +
             Sha256().Field(job.output).Field(identity).Finish().Hex().substr(0, 12);
  return job;
}

std::string EndOfFile(const std::string& path) {
  Result<std::string> text = ReadFile(path);
  if (!text.ok()) return "(no log: " + text.status().message() + ")";
  if (text->size() > kLogEnd) text->erase(0, text->size() - kLogEnd);
  while (!text->empty() && text->back() == '\n') text->pop_back();
  return *text;
}

// The ranks of one step under Slurm.
class SlurmStep {
 public:
  SlurmStep(const PlannedStep& step, const SlurmChoice& choice, Progress* progress)
      : step_(step),
        choice_(choice),
        common_(JobOf(step.output, step.plan.step, step.folder + "/ranks",
                      WorldOf(choice, step.plan.partitions), step.plan.Identity().Hex())),
        watch_(step, progress) {}

  Status Run() {
    KM_RETURN_IF_ERROR(CheckScriptPath(common_.folder));
    KM_RETURN_IF_ERROR(MakeFolders(common_.folder));
    // What a launcher before this one has seen does not count.
    for (std::int64_t rank = 0; rank < common_.world; ++rank) {
      unlink(ExitPathOf(common_.folder, rank).c_str());
    }
    KM_ASSIGN(largest_array_, MaxArraySize());
    const Status status = Watch();
    if (queued_ == 0) return status;
    const Status cancelled = CancelJobs(common_.name);
    return status.ok()      ? Status::Ok()
           : cancelled.ok() ? status
                            : status.Within(cancelled.message());
  }

 private:
  Status Watch() {
    std::chrono::milliseconds look = kFirstLook;
    for (;;) {
      KM_RETURN_IF_ERROR(CountQueued());
      KM_ASSIGN(const std::vector<std::int64_t> missing, watch_.Missing());
      if (missing.empty()) return Status::Ok();
      KM_RETURN_IF_ERROR(FindFailure());
      if (queued_ == 0) {
        KM_RETURN_IF_ERROR(NoteRound(missing.size()));
        KM_RETURN_IF_ERROR(Submit(missing));
        look = kFirstLook;
      }
      if (Pause(look) == Waited::kInterrupted) return InterruptedStatus();
      look = std::min(look * 3 / 2, kLastLook);
    }
  }

  // Sets queued_. Slurm may fail for a while, in which the queue counts as not empty.
  Status CountQueued() {
    const Result<std::int64_t> count = CountTasks(common_.name);
    if (count.ok()) {
      queued_ = *count;
      answered_ = Clock::now();
      return Status::Ok();
    }
    if (count.status().code() != ErrorCode::kUnreachable) return count.status();
    queued_ = std::max<std::int64_t>(queued_, 1);
    return Clock::now() - answered_ < kSlurmPatience ? Status::Ok() : count.status();
  }

  // Counts the rounds in which no partition was committed, and waits longer each time.
  Status NoteRound(std::size_t missing) {
    const bool first = missing_before_ == 0;
    fruitless_ = first || missing < missing_before_ ? 0 : fruitless_ + 1;
    missing_before_ = missing;
    if (fruitless_ == 0) return Status::Ok();
    if (fruitless_ > kFruitlessRounds) {
      return Status(ErrorCode::kWorker,
                    step_.plan.step + ": the ranks were submitted " +
                        std::to_string(kFruitlessRounds + 1) +
                        " times without a new commit. The last messages of rank " +
                        std::to_string(last_rank_) + " (" + logs_[last_rank_] + "):\n" +
                        EndOfFile(logs_[last_rank_]) + "\nThe same command goes on from here");
    }
    Say(step_.plan.step + ": " + std::to_string(missing) +
        " partitions are missing and no task is left in the queue; submitting their ranks again");
    const auto pause = std::chrono::seconds(1) * (1 << fruitless_);
    return Pause(pause) == Waited::kInterrupted ? InterruptedStatus() : Status::Ok();
  }

  Status Submit(const std::vector<std::int64_t>& missing) {
    std::set<std::int64_t> ranks;
    for (const std::int64_t partition : missing) ranks.insert(partition % common_.world);
    for (const RankJob& job : JobsFor(common_, {ranks.begin(), ranks.end()}, largest_array_)) {
      for (const std::int64_t rank : job.ranks) {
        unlink(ExitPathOf(job.folder, rank).c_str());
      }
      const Result<std::string> number = SubmitJob(ScriptOf(job, choice_));
      // A cluster may limit the jobs of a user: the rest is submitted when these have ended.
      if (!number.ok() && queued_ > 0) break;
      KM_RETURN_IF_ERROR(number.status());
      queued_ += static_cast<std::int64_t>(job.ranks.size());
      for (const std::int64_t rank : job.ranks) logs_[rank] = LogPathOf(job, *number, rank);
      last_rank_ = job.ranks.front();
    }
    return Status::Ok();
  }

  // The error of a rank that has ended with an exit code that is neither 0 nor 75.
  Status FindFailure() const {
    for (const auto& [rank, log] : logs_) {
      const Result<std::string> text = ReadFile(ExitPathOf(common_.folder, rank));
      if (!text.ok()) continue;
      const int code = std::atoi(text->c_str());
      if (code == kExitDone || code == kExitTryAgain) continue;
      const ErrorCode kind = code == kExitNegative ? ErrorCode::kRefused
                             : code == kExitUsage  ? ErrorCode::kUsage
                                                   : ErrorCode::kEnvironment;
      return Status(kind, step_.plan.step + ": rank " + std::to_string(rank) + " of " +
                              std::to_string(common_.world) + " ended with exit code " +
                              std::to_string(code) + ". Its last messages (" + log + "):\n" +
                              EndOfFile(log));
    }
    return Status::Ok();
  }

  const PlannedStep step_;
  const SlurmChoice& choice_;
  const RankJob common_;
  CommitWatch watch_;
  std::int64_t largest_array_ = 0;
  std::int64_t queued_ = 0;                   // Tasks of this step in the queue.
  std::map<std::int64_t, std::string> logs_;  // Of the last submission of each rank.
  std::int64_t last_rank_ = 0;
  std::size_t missing_before_ = 0;
  int fruitless_ = 0;
  Clock::time_point answered_ = Clock::now();
};

}  // namespace

Status SlurmExecutor::Complete(const PlannedStep& step, Progress* progress) {
  return SlurmStep(step, choice_, progress).Run();
}

Result<std::vector<std::string>> PreviewScripts(const std::string& output, const std::string& step,
                                                std::int64_t partitions, const SlurmChoice& choice,
                                                std::int64_t largest_array) {
  const std::int64_t world = WorldOf(choice, partitions);
  const RankJob common = JobOf(output, step, output + "/.run/steps/" + step + "/ranks", world, "");
  KM_RETURN_IF_ERROR(CheckScriptPath(common.folder));
  std::vector<std::int64_t> ranks(static_cast<std::size_t>(world));
  for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = static_cast<std::int64_t>(i);
  std::vector<std::string> scripts;
  for (const RankJob& job : JobsFor(common, ranks, largest_array > 0 ? largest_array : world)) {
    scripts.push_back(ScriptOf(job, choice));
  }
  return scripts;
}

}  // namespace kernelmill
