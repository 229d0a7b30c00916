#include "stages/queue/queue_worker.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "manifests/dataset_manifest.h"
#include "manifests/printable.h"
#include "stages/engine/interrupt.h"
#include "stages/engine/progress.h"
#include "stages/queue/lease_renewal.h"
#include "stages/queue/quarantined_answers.h"
#include "stages/queue/queue_name.h"
#include "stages/queue/queued_run.h"
#include "stages/verify/judge/judge_pool.h"

namespace kernelmill {
namespace {

using Clock = std::chrono::steady_clock;

std::string TextOf(const QueuedMessage& message) {
  std::string text = message.id;
  for (const auto& [name, value] : message.fields) text += " " + name + "=" + value;
  return Printable(text);
}

// Whether the folder has the state of a run, of which the steps may be gone.
bool HasState(const std::string& output) {
  std::error_code error;
  return std::filesystem::is_directory(std::filesystem::path(output) / kRunFolderName, error);
}

// Whether it is this machine or its user that a failure is due to, and not the answer.
bool IsOfMachine(ErrorCode code) {
  switch (code) {
    case ErrorCode::kWorker:
    case ErrorCode::kSandbox:
    case ErrorCode::kEnvironment:
    case ErrorCode::kIo:
    case ErrorCode::kDiskFull:
    case ErrorCode::kUnreachable:  // The object store that verdicts are shared through.
    case ErrorCode::kInterrupted:
      return true;
    default:
      return false;
  }
}

class QueueWorker {
 public:
  QueueWorker(const QueueWorkerOptions& options, WorkQueue queue, WorkQueue renewals)
      : options_(options), queue_(std::move(queue)), renewals_(std::move(renewals)) {}

  Status Run() {
    Clock::time_point last = Clock::now();
    for (;;) {
      if (Interrupted()) return WithoutResuming(InterruptedStatus());
      KM_ASSIGN(const std::optional<QueuedMessage> message, queue_.Take(options_.pool));
      if (message) {
        KM_RETURN_IF_ERROR(Handle(*message));
        last = Clock::now();
      } else if (options_.idle.count() > 0 && Clock::now() - last >= options_.idle) {
        Say("worker: no answer has come for " + std::to_string(options_.idle.count()) +
            " s; done " + std::to_string(done_));
        return Status::Ok();
      }
    }
  }

 private:
  // What a try has come to.
  struct Outcome {
    bool stale = false;   // The run has ended, is gone, or started again with another plan.
    std::string problem;  // Empty when the work is done and stored.
    Status unseen;        // This machine sees no folder of a run. The try counts.
  };

  Status Handle(const QueuedMessage& message) {
    if (message.tries > options_.tries) {
      return GiveUp(message, "after " + std::to_string(message.tries - 1) +
                                 " tries without a result; those that had a reason gave it in the "
                                 "messages of their workers, the others were killed or lost");
    }
    Result<Outcome> outcome = [&] {
      const LeaseRenewal renewal(&renewals_, options_.pool, message, options_.lease);
      return Work(message);
    }();
    if (!outcome.ok()) {
      // This machine is to blame, or the user stops the worker: another one takes the message.
      (void)queue_.GiveBack(options_.pool, message);
      return outcome.status();
    }
    KM_RETURN_IF_ERROR(outcome->unseen);
    if (!outcome->problem.empty()) return Failed(message, outcome->problem);
    if (!outcome->stale) ++done_;
    if (outcome->stale || options_.pool == WorkerPool::kExecute) {
      return queue_.Finish(options_.pool, message);
    }
    return queue_.HandOn(message);
  }

  Result<Outcome> Work(const QueuedMessage& message) {
    const Result<AnswerKey> key = AnswerKey::FromFields(message.fields);
    if (!key.ok()) return Outcome{.problem = key.status().message()};
    const Result<bool> open = OpenRun(*key);
    if (!open.ok()) return CannotOpen(*key, open.status());
    if (!*open) return Outcome{.stale = true};
    has_seen_a_run_ = true;
    const Result<AskedCandidate> asked = run_->Find(*key);
    if (!asked.ok()) return Outcome{.problem = asked.status().message()};
    Outcome outcome;
    if (options_.pool == WorkerPool::kCompile) {
      const Result<std::string> built =
          judges_.BuildCandidate(asked->judging, asked->reference, asked->code);
      if (IsOfMachine(built.status().code())) return built.status();
      outcome.problem = built.ok() ? *built : built.status().message();
    } else {
      const Result<JudgePool::Judged> judged =
          judges_.JudgeCandidate(asked->judging, asked->reference, asked->code);
      if (IsOfMachine(judged.status().code())) return judged.status();
      if (!judged.ok()) outcome.problem = judged.status().message();
      if (judged.ok() && judged->verdict.status == VerdictStatus::kInfra) {
        outcome.problem = judged->verdict.detail;
      }
    }
    // The end of what it started may be due to the signal.
    if (!outcome.problem.empty() && Interrupted()) return WithoutResuming(InterruptedStatus());
    return outcome;
  }

  // Where other runs can be read, one without a folder is gone: who leads it would publish the
  // answer again. Otherwise it is this machine that lacks the shared folder. It must not take the
  // answers of others and fail them.
  Outcome CannotOpen(const AnswerKey& key, const Status& status) const {
    std::error_code error;
    if (std::filesystem::exists(key.run, error)) return {.problem = status.message()};
    if (!has_seen_a_run_) {
      return {.unseen = Status(ErrorCode::kEnvironment,
                               status.message() +
                                   "; a worker needs the folders of the runs and .cache under the "
                                   "paths that `verify` has for them")};
    }
    Warn("worker: an answer is left out: " + status.message());
    return {.stale = true};
  }

  // Makes the run of the key the open one. False if that run has ended, or has another plan now.
  Result<bool> OpenRun(const AnswerKey& key) {
    if (run_ && output_ == key.run && plan_ == key.plan) return true;
    run_.reset();
    Result<QueuedRun> opened = QueuedRun::Open(key.run);
    if (!opened.ok()) {
      const bool ended = opened.status().code() == ErrorCode::kNotFound && HasState(key.run);
      if (ended) return false;
      return opened.status().Within("this machine cannot read the run");
    }
    if (opened->plan().Identity().Hex() != key.plan) return false;
    run_ = std::move(opened).value();
    output_ = key.run;
    plan_ = key.plan;
    return true;
  }

  Status Failed(const QueuedMessage& message, const std::string& reason) {
    if (message.tries >= options_.tries) return GiveUp(message, reason);
    Warn("worker: try " + std::to_string(message.tries) + " of " + std::to_string(options_.tries) +
         " has failed for " + TextOf(message) + ": " + reason);
    // The next try follows when the lease has expired: the cause may be gone then.
    return Status::Ok();
  }

  Status GiveUp(const QueuedMessage& message, const std::string& reason) {
    Warn("worker: gave up " + TextOf(message) + ": " + reason);
    const Result<AnswerKey> key = AnswerKey::FromFields(message.fields);
    const Result<bool> open = key.ok() ? OpenRun(*key) : Result<bool>(false);
    // First the file that who leads the run looks for.
    if (open.ok() && *open && run_->Find(*key).ok()) {
      KM_RETURN_IF_ERROR(KeepQuarantined(key->run, key->place,
                                         {.pool = std::string(PoolName(options_.pool)),
                                          .tries = message.tries,
                                          .reason = reason,
                                          .message = message.fields}));
    }
    return queue_.Quarantine(options_.pool, message, reason);
  }

  const QueueWorkerOptions& options_;
  WorkQueue queue_, renewals_;
  JudgePool judges_;
  std::optional<QueuedRun> run_;
  std::string output_, plan_;  // Of the open run.
  bool has_seen_a_run_ = false;
  std::int64_t done_ = 0;
};

}  // namespace

Status RunQueueWorker(const QueueWorkerOptions& options) {
  KM_ASSIGN(const RedisAddress address, RedisAddress::Parse(options.url));
  KM_ASSIGN(const std::string name, QueueName());
  WorkQueueOptions queue_options = {
      .address = address, .name = name, .lease = options.lease, .patience = options.patience};
  KM_ASSIGN(WorkQueue queue, WorkQueue::Open(queue_options));
  queue_options.patience = std::chrono::milliseconds(0);  // With the same name for the worker.
  KM_ASSIGN(WorkQueue renewals, WorkQueue::Open(queue_options));
  Say("worker: " + std::string(PoolName(options.pool)) + ", queue " + address.Text() + ", " + name);
  QueueWorker worker(options, std::move(queue), std::move(renewals));
  return worker.Run();
}

}  // namespace kernelmill
