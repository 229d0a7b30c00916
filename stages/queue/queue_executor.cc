#include "stages/queue/queue_executor.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "stages/engine/interrupt.h"
#include "stages/engine/partition_work.h"
#include "stages/queue/awaited_answers.h"
#include "stages/queue/quarantined_answers.h"
#include "stages/queue/queue_name.h"
#include "stages/queue/queued_run.h"

namespace kernelmill {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLook{200};
constexpr std::chrono::seconds kAskForMark{1}, kCompare{60};

// Keeps the queue filled with what has no verdict.
class Publisher {
 public:
  Publisher(WorkQueue* queue, std::string run, std::string plan)
      : queue_(*queue), run_(std::move(run)), plan_(std::move(plan)) {}

  // Asks now and then whether the queue has lost something. A server that is away is no error.
  Status Check(AwaitedAnswers* answers) {
    const Clock::time_point now = Clock::now();
    if (now < next_mark_ && now < next_compare_) return Status::Ok();
    next_mark_ = now + kAskForMark;
    Status status = CheckNow(answers, now >= next_compare_);
    if (status.code() == ErrorCode::kUnreachable) {
      if (!away_) Warn(status.message() + "; the run goes on when it answers again");
      away_ = true;
      return Status::Ok();
    }
    if (status.ok() && away_) Warn("the queue answers again");
    away_ = false;
    return status;
  }

 private:
  Status CheckNow(AwaitedAnswers* answers, bool compare) {
    if (!compare) {
      KM_ASSIGN(const bool marked, queue_.HasMark(run_, plan_));
      if (marked) return Status::Ok();
    }
    KM_ASSIGN(const std::set<std::string> queued, queue_.PlacesOf(run_, plan_));
    // What has left the queue since then has its verdict.
    KM_RETURN_IF_ERROR(answers->Look(true));
    const std::vector<AnswerKey> missing = answers->KeysWithout(queued);
    if (!missing.empty()) {
      KM_RETURN_IF_ERROR(queue_.Publish(missing));
      Say("verify: " + std::to_string(missing.size()) + " answers are published" +
          (queued.empty() ? "" : " beside " + std::to_string(queued.size()) + " in the queue"));
    }
    next_compare_ = Clock::now() + kCompare;
    return Status::Ok();
  }

  WorkQueue& queue_;
  const std::string run_, plan_;
  Clock::time_point next_mark_, next_compare_;
  bool away_ = false;
};

// Names the answers that the workers gave up.
void NameQuarantined(const std::string& output, const std::set<std::string>& places) {
  for (const std::string& place : places) {
    const std::string file = QuarantineFileOf(output, place);
    const Result<QuarantinedAnswer> answer = ReadQuarantined(output, place);
    Warn("verify: no worker could judge the answer " + place + ": " +
         (answer.ok() ? answer->reason : answer.status().message()) + " (" + file + ")");
  }
}

}  // namespace

Result<QueueExecutor> QueueExecutor::Open(const std::string& url,
                                          std::unique_ptr<StepExecutor> others) {
  KM_ASSIGN(RedisAddress address, RedisAddress::Parse(url));
  const std::string text = address.Text();
  KM_ASSIGN(std::string name, QueueName());
  KM_ASSIGN(WorkQueue queue, WorkQueue::Open({.address = std::move(address), .name = name}));
  return QueueExecutor(text + ", " + name, std::move(queue), std::move(others));
}

bool QueueExecutor::Takes(std::string_view step) const {
  return step == QueuedRun::kStep || (others_ != nullptr && others_->Takes(step));
}

Status QueueExecutor::Complete(const PlannedStep& step, Progress* progress) {
  if (step.plan.step != QueuedRun::kStep) return others_->Complete(step, progress);
  const std::string output = std::filesystem::absolute(step.output).lexically_normal().string();
  KM_RETURN_IF_ERROR(ForgetQuarantined(output));
  KM_ASSIGN(const QueuedRun run, QueuedRun::Open(output));
  const std::vector<std::int64_t> partitions = MissingPartitions(step.folder, step.plan);
  KM_ASSIGN(AwaitedAnswers answers, AwaitedAnswers::Of(run, output, partitions));
  if (!answers.empty()) {
    Say("verify: waiting for workers of the queue " + url_ +
        ": kernelmill worker compile --queue URL, and kernelmill worker execute --queue URL");
  }
  const std::string plan = step.plan.Identity().Hex();
  Publisher publisher(&queue_, output, plan);
  while (!answers.empty()) {
    KM_RETURN_IF_ERROR(publisher.Check(&answers));
    KM_RETURN_IF_ERROR(answers.Look(false));
    StepCounts counts;
    counts.in = counts.kept = answers.complete_inputs();
    progress->Update(counts);
    if (!answers.empty() && Pause(kLook) == Waited::kInterrupted) return InterruptedStatus();
  }
  NameQuarantined(output, answers.quarantined());
  (void)queue_.RemoveMark(output, plan);  // It only saves memory of the server.
  return WorkOnPartitions(run.step(), step.plan, step.folder, partitions, 1, progress);
}

}  // namespace kernelmill
