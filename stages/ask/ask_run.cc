#include "stages/ask/ask_run.h"

#include <algorithm>
#include <map>
#include <random>
#include <utility>

#include "corpora/endpoint/http_client.h"
#include "generators/wording/number_format.h"
#include "manifests/printable.h"
#include "stages/ask/answer_file.h"
#include "stages/ask/chat_reply.h"
#include "stages/ask/recorded_answers.h"
#include "stages/ask/request_queue.h"
#include "stages/engine/interrupt.h"
#include "stages/engine/progress.h"
#include "stages/engine/retry_wait.h"

namespace kernelmill {
namespace {

using Clock = RequestQueue::Clock;
// When so many requests in a row have failed for good, so would the others.
constexpr int kMostFailuresInARow = 20;
// A server that asks to wait longer is not waited for.
constexpr std::chrono::milliseconds kLongestWait = std::chrono::hours(1);
// Pauses that are worth a line.
constexpr std::chrono::milliseconds kLongPause = std::chrono::seconds(5);

// A request that was sent and has no reply yet.
struct Flight {
  QueuedRequest request;
  std::int64_t asked = 0;   // Choices.
  Json::Object body;        // As it was sent.
  std::int64_t tokens = 0;  // As the limit per minute counts them.
  ChatReply reply;
};

class AskRun {
 public:
  AskRun(const PromptList& prompts, const AskOptions& options, HttpClient client, AnswerFile file,
         AskSummary* summary)
      : prompts_(prompts),
        options_(options),
        file_(std::move(file)),
        summary_(*summary),
        queue_(options.requests_per_minute, options.tokens_per_minute),
        wait_(options.first_wait, std::random_device()()),
        progress_("sample", summary->samples, summary->before + summary->refused_before),
        most_choices_(options.most_choices),
        client_(std::move(client)) {}

  const AnswerFile& file() const { return file_; }

  Status Run() {
    for (const PromptList::Attempts& attempts : prompts_.Missing()) {
      queue_.AddLast({.attempts = attempts});
    }
    while (!(queue_.is_empty() && flights_.empty())) {
      if (Interrupted()) return InterruptedStatus();
      KM_RETURN_IF_ERROR(SendAll());
      KM_ASSIGN(const std::vector<HttpReply> replies,
                client_.Wait(Patience(), InterruptDescriptor()));
      for (const HttpReply& reply : replies) KM_RETURN_IF_ERROR(Settle(reply));
      KM_RETURN_IF_ERROR(file_.Sync());
      progress_.Update(counts_);
    }
    progress_.Finish(counts_);
    return stop_;
  }

 private:
  // How long the loop may wait for replies.
  std::chrono::milliseconds Patience() const {
    constexpr std::chrono::milliseconds kLongest = std::chrono::seconds(1);
    if (queue_.is_empty() || IsFull()) return kLongest;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(queue_.Next() - Clock::now());
    return std::clamp(left, std::chrono::milliseconds(0), kLongest);
  }

  bool IsFull() const { return static_cast<int>(flights_.size()) >= options_.concurrency; }

  // Sends what may be sent now.
  Status SendAll() {
    while (!IsFull()) {
      const Clock::time_point now = Clock::now();
      const std::optional<QueuedRequest> request = queue_.Take(now);
      if (!request) break;
      KM_RETURN_IF_ERROR(Send(*request, now));
    }
    return Status::Ok();
  }

  Status Send(QueuedRequest request, Clock::time_point now) {
    PromptList::Attempts& attempts = request.attempts;
    // Requests for the other attempts can be sent at the same time.
    if (most_choices_ > 0 && attempts.count > most_choices_) {
      queue_.AddFirst({.attempts = {.prompt = attempts.prompt,
                                    .first = attempts.first + most_choices_,
                                    .count = attempts.count - most_choices_}});
      attempts.count = most_choices_;
    }
    const AskedPrompt& prompt = prompts_.prompts()[attempts.prompt];
    const std::int64_t id = next_id_++;
    Flight& flight = flights_[id];
    flight.request = request;
    flight.asked = request.alone ? 1 : attempts.count;
    flight.body = prompt.BodyFrom(attempts.first);
    if (flight.asked > 1) flight.body["n"] = flight.asked;
    if (options_.stream) {
      flight.body["stream"] = true;
      flight.body["stream_options"] = Json::Object{{"include_usage", true}};
    }
    flight.tokens =
        prompt.tokens + flight.asked * (prompt.max_tokens > 0 ? prompt.max_tokens : MeanAnswer());
    queue_.Sent(now, flight.tokens);
    ++summary_.requests;
    if (request.failures > 0) ++summary_.repeated;
    std::vector<std::string> headers;
    if (options_.key.is_set()) headers.push_back(options_.key.Header());
    return client_.Start(
        {.id = id,
         .url = options_.url,
         .headers = std::move(headers),
         .body = Json(flight.body).Dump(),
         .read = [&flight](int, std::string_view bytes) { return flight.reply.Read(bytes); }});
  }

  // The tokens of an answer, from those of this run.
  std::int64_t MeanAnswer() const {
    return summary_.run.answered == 0 ? 0 : summary_.run.completion_tokens / summary_.run.answered;
  }

  Status Settle(const HttpReply& reply) {
    auto node = flights_.extract(reply.id);
    Flight& flight = node.mapped();
    JudgedReply judged = flight.reply.Judge(reply, flight.asked);
    judged.failure.message = options_.key.Without(judged.failure.message);
    switch (judged.outcome) {
      case AskOutcome::kAnswered:
        return TakeAnswer(flight, reply, &judged);
      case AskOutcome::kTryAgain:
        return TryAgain(flight, reply, judged.failure);
      case AskOutcome::kRefused:
        // Some servers refuse every request for several choices.
        if (flight.asked > 1 && !has_several_) {
          flight.request.alone = true;
          queue_.AddFirst(flight.request);
          return Status::Ok();
        }
        return Fail(flight, judged.failure);
      case AskOutcome::kNoAccess:
        Stop(Status(ErrorCode::kUsage, judged.failure.message +
                                           "; no request can succeed like this. Nothing is lost: "
                                           "the same command goes on with another key or "
                                           "endpoint"));
        return Status::Ok();
    }
    return Status::Ok();
  }

  Status TakeAnswer(const Flight& flight, const HttpReply& reply, JudgedReply* judged) {
    const PromptList::Attempts& attempts = flight.request.attempts;
    const auto count = static_cast<std::int64_t>(judged->samples.size());
    failures_in_a_row_ = 0;
    if (count > 1) has_several_ = true;
    if (count + judged->unusable < flight.asked || (flight.request.alone && attempts.count > 1)) {
      NoticeFewerChoices(flight, count);
    }
    AskTally tally;
    tally.AddAnswer(judged->body, judged->samples);
    if (tally.uncounted == 0) {
      queue_.CorrectTokens(tally.prompt_tokens + tally.completion_tokens - flight.tokens);
    }
    KM_RETURN_IF_ERROR(file_.Append(
        AnswerLine(NameOf(attempts), flight.body, options_.key.WithoutInAnswer(judged->body),
                   options_.key.Without(reply.Header("x-request-id")))));
    Count(tally);
    counts_.in += count;
    counts_.kept += count;
    if (count < attempts.count) {
      PutBack({.prompt = attempts.prompt,
               .first = attempts.first + count,
               .count = attempts.count - count});
    }
    return Status::Ok();
  }

  void NoticeFewerChoices(const Flight& flight, std::int64_t count) {
    if (most_choices_ > 0 && most_choices_ <= count) return;
    most_choices_ = count;
    Say(flight.request.alone
            ? "sample: the server refuses to give several answers to one request; asking for one "
              "at "
              "a time"
            : "sample: the server gave " + std::to_string(count) + " of " +
                  std::to_string(flight.asked) + " answers to one request; asking for at most " +
                  std::to_string(count) + " at a time");
  }

  Status TryAgain(const Flight& flight, const HttpReply& reply, const AskFailure& failure) {
    QueuedRequest request = flight.request;
    const std::chrono::milliseconds asked_wait =
        reply.retry_after.value_or(std::chrono::milliseconds(0));
    // What a failed request used of the limit is not known, so it counts as it was expected to.
    if (++request.failures > options_.retries || asked_wait > kLongestWait) {
      return Fail(flight, failure);
    }
    if (!stop_.ok()) return Status::Ok();
    const Clock::time_point now = Clock::now();
    if (asked_wait.count() > 0) {
      queue_.PauseUntil(now + asked_wait);
      if (asked_wait >= kLongPause) {
        Say("sample: the server asks to wait " + std::to_string(asked_wait.count() / 1'000) +
            " s (" + PrintableLine(failure.message) + ")");
      }
    }
    queue_.AddAt(now + std::max(asked_wait, wait_.After(request.failures)), request);
    return Status::Ok();
  }

  // Ends a request without an answer.
  Status Fail(const Flight& flight, const AskFailure& failure) {
    const PromptList::Attempts& attempts = flight.request.attempts;
    AskTally tally;
    tally.failed[failure.code] = attempts.count;
    KM_RETURN_IF_ERROR(
        file_.Append(FailureLine(NameOf(attempts), flight.body, failure, attempts.count)));
    Count(tally);
    counts_.in += attempts.count;
    counts_.rejected[failure.code] += attempts.count;
    summary_.last_failure = failure.message;
    if (++failures_in_a_row_ == kMostFailuresInARow) {
      Stop(Status(ErrorCode::kUnreachable,
                  std::to_string(kMostFailuresInARow) +
                      " requests failed one after the other, the last one because " +
                      failure.message + "; the same command goes on when that is mended"));
    }
    return Status::Ok();
  }

  // Lets the requests that were sent end, and sends no other.
  void Stop(Status why) {
    if (stop_.ok()) stop_ = std::move(why);
    queue_.Clear();
  }

  void PutBack(PromptList::Attempts attempts) {
    if (stop_.ok()) queue_.AddFirst({.attempts = attempts});
  }

  void Count(const AskTally& tally) {
    summary_.run.Add(tally);
    summary_.file.Add(tally);
  }

  CustomId NameOf(const PromptList::Attempts& attempts) const {
    CustomId name = prompts_.prompts()[attempts.prompt].name;
    name.attempt = attempts.first;
    return name;
  }

  const PromptList& prompts_;
  const AskOptions& options_;
  AnswerFile file_;
  AskSummary& summary_;
  RequestQueue queue_;
  RetryWait wait_;
  Progress progress_;
  StepCounts counts_;
  std::map<std::int64_t, Flight> flights_;  // By id. A flight does not move.
  std::int64_t next_id_ = 0;
  std::int64_t most_choices_ = 0;  // Of one request; 0: no limit.
  bool has_several_ = false;       // The server has answered a request with several choices.
  int failures_in_a_row_ = 0;
  Status stop_;        // Why no further request is sent.
  HttpClient client_;  // Last: its transfers write to the flights.
};

// What a run that was not stopped ends with.
Status OutcomeOf(const AskSummary& summary, const std::string& output) {
  const auto found = summary.run.failed.find(std::string(AskFailure::kRefused));
  const std::int64_t refused = found == summary.run.failed.end() ? 0 : found->second;
  const std::string why =
      summary.last_failure.empty() ? "" : " (the last one: " + summary.last_failure + ")";
  if (const std::int64_t failed = summary.run.Failed() - refused; failed > 0) {
    return Status(ErrorCode::kUnreachable, "requests for " + Counted(failed, "sample") + " failed" +
                                               why + "; the same command asks for them again");
  }
  if (const std::int64_t all = refused + summary.refused_before; all > 0) {
    return Status(ErrorCode::kRefused, "the server refused requests for " + Counted(all, "sample") +
                                           why + "; " + output +
                                           " has its reasons, and --ask-refused asks again");
  }
  return Status::Ok();
}

}  // namespace

Status AskForSamples(PromptList* prompts, const AskOptions& options, AskSummary* summary) {
  *summary = {.prompts = static_cast<std::int64_t>(prompts->prompts().size()),
              .samples = prompts->Samples()};
  KM_ASSIGN(AnswerFile file, AnswerFile::Open(options.output));
  KM_RETURN_IF_ERROR(ReadRecordedAnswers(file, options.ask_refused, prompts, summary));
  const bool failed_before = summary->file.Failed() > 0;
  KM_RETURN_IF_ERROR(file.MendTail());
  KM_ASSIGN(HttpClient client, HttpClient::Create(options.silence));
  AskRun run(*prompts, options, std::move(client), std::move(file), summary);
  const Status status = run.Run();
  summary->missing = summary->samples - summary->before - summary->refused_before -
                     summary->run.answered - summary->run.Failed();
  KM_RETURN_IF_ERROR(status);
  // A request that fails in this run is not asked again in it.
  if (failed_before) KM_RETURN_IF_ERROR(DropAnsweredFailures(run.file()));
  return OutcomeOf(*summary, options.output);
}

}  // namespace kernelmill
