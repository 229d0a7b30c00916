// The queue of `serve` with a judge that stands in for the real one: it waits until the test lets
// it go on.
#include "stages/serve/judging_queue.h"

#include <gtest/gtest.h>

#include <future>
#include <map>
#include <random>
#include <set>

namespace kernelmill {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

VerifyRequest Request(const std::string& code, const std::string& reference = "model",
                      milliseconds deadline = seconds(60)) {
  VerifyRequest request;
  request.reference = reference;
  request.code = code;
  request.deadline = deadline;
  return request;
}

// Judges as many candidates as it was let to.
class HeldJudge {
 public:
  explicit HeldJudge(int allowed) : allowed_(allowed) {}

  void Allow(int count) {
    const std::lock_guard lock(mutex_);
    allowed_ += count;
    changed_.notify_all();
  }

  Result<JudgePool::Judged> operator()(const VerifyRequest& request) {
    std::unique_lock lock(mutex_);
    begun_.push_back(*request.code);
    changed_.notify_all();
    changed_.wait(lock, [this] { return allowed_ > 0; });
    --allowed_;
    if (*request.code == "fails") return Status(ErrorCode::kWorker, "the worker has ended");
    if (*request.code == "throws") throw std::bad_alloc();
    JudgePool::Judged judged;
    judged.key = "key of " + *request.code;
    judged.verdict.status = VerdictStatus::kCorrect;
    return judged;
  }

  // The codes in the order in which judging began; waits until there are so many.
  std::vector<std::string> Begun(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return begun_.size() >= count; });
    return begun_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int allowed_;
  std::vector<std::string> begun_;
};

struct Ended {
  WaitEnd end;
  std::string text;  // The key, or the message of the Status.
};

// A waiter, and what becomes of it.
struct Client {
  explicit Client(VerifyRequest request_of_it) : request(std::move(request_of_it)) {}

  JudgingQueue::Waiter Waiter() {
    return {request, [ended = ended](WaitEnd end, const Result<JudgePool::Judged>* judged) {
              std::string text;
              if (judged != nullptr) {
                text = judged->ok() ? (*judged)->key : judged->status().message();
              }
              ended->set_value({end, text});
            }};
  }
  Ended Wait() { return ended->get_future().get(); }

  VerifyRequest request;
  std::shared_ptr<std::promise<Ended>> ended = std::make_shared<std::promise<Ended>>();
};

JudgingQueue::Options OptionsOf(HeldJudge* judge, int lanes, std::size_t most_waiting) {
  return {.lanes = lanes, .most_waiting = most_waiting, .open_lane = [judge] {
            return [judge](const VerifyRequest& request) { return (*judge)(request); };
          }};
}

TEST(JudgingQueue, EqualJobsAreJudgedOnce) {
  HeldJudge judge(0);
  JudgingQueue queue(OptionsOf(&judge, 2, 10));
  std::vector<Client> clients;
  for (int i = 0; i < 6; ++i) clients.emplace_back(Request(i % 2 == 0 ? "a" : "b"));
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(queue.Add({clients[i].Waiter()}));
  judge.Begun(2);
  // These come while the others are judged, and as one body.
  ASSERT_TRUE(queue.Add({clients[4].Waiter(), clients[5].Waiter()}));
  EXPECT_EQ(queue.load().joined, 4);
  judge.Allow(2);
  for (int i = 0; i < 6; ++i) {
    const Ended ended = clients[i].Wait();
    EXPECT_EQ(ended.end, WaitEnd::kJudged);
    EXPECT_EQ(ended.text, i % 2 == 0 ? "key of a" : "key of b");
  }
  EXPECT_EQ(judge.Begun(2).size(), 2u);
}

TEST(JudgingQueue, AFullQueueRefusesAllOrNothing) {
  HeldJudge judge(0);
  JudgingQueue queue(OptionsOf(&judge, 1, 2));
  Client running(Request("running")), first(Request("first")), second(Request("second")),
      third(Request("third")), again(Request("first"));
  ASSERT_TRUE(queue.Add({running.Waiter()}));
  judge.Begun(1);
  ASSERT_TRUE(queue.Add({first.Waiter()}));
  EXPECT_FALSE(queue.Add({second.Waiter(), third.Waiter()}));
  EXPECT_EQ(queue.load().waiting, 1u);
  ASSERT_TRUE(queue.Add({second.Waiter()}));
  EXPECT_FALSE(queue.Add({third.Waiter()}));
  // An equal job needs no room.
  ASSERT_TRUE(queue.Add({again.Waiter()}));
  EXPECT_GE(queue.load().retry_after, seconds(1));
  judge.Allow(3);
  for (Client* client : {&running, &first, &second, &again}) {
    EXPECT_EQ(client->Wait().end, WaitEnd::kJudged);
  }
}

TEST(JudgingQueue, ADeadlineEndsTheWaitAndNotTheJob) {
  HeldJudge judge(0);
  JudgingQueue queue(OptionsOf(&judge, 1, 10));
  Client running(Request("running", "model", milliseconds(20))), patient(Request("running")),
      waiting(Request("waiting", "model", milliseconds(20)));
  ASSERT_TRUE(queue.Add({running.Waiter()}));
  judge.Begun(1);
  ASSERT_TRUE(queue.Add({patient.Waiter(), waiting.Waiter()}));
  EXPECT_EQ(running.Wait().end, WaitEnd::kLate);
  EXPECT_EQ(waiting.Wait().end, WaitEnd::kLate);
  // Nobody waits for it any more, so it is not begun.
  EXPECT_EQ(queue.load().waiting, 0u);
  judge.Allow(1);
  EXPECT_EQ(patient.Wait().end, WaitEnd::kJudged);
  EXPECT_EQ(judge.Begun(1), std::vector<std::string>{"running"});
}

TEST(JudgingQueue, WhoHasGoneIsNotWaitedFor) {
  HeldJudge judge(0);
  JudgingQueue queue(OptionsOf(&judge, 1, 10));
  Client running(Request("running")), gone(Request("gone")), stays(Request("stays")),
      also(Request("stays"));
  const auto first = queue.Add({running.Waiter()});
  judge.Begun(1);
  const auto second = queue.Add({gone.Waiter(), stays.Waiter()});
  ASSERT_TRUE(first && second && queue.Add({also.Waiter()}));
  queue.Cancel(*second);
  queue.Cancel(*second);
  queue.Cancel(*first);
  EXPECT_EQ(queue.load().waiting, 1u);
  judge.Allow(2);
  EXPECT_EQ(also.Wait().text, "key of stays");
  EXPECT_EQ(judge.Begun(2), (std::vector<std::string>{"running", "stays"}));
  EXPECT_EQ(gone.ended->get_future().wait_for(milliseconds(0)), std::future_status::timeout);
}

TEST(JudgingQueue, FailuresOfTheHostReachEveryWaiter) {
  HeldJudge judge(2);
  JudgingQueue queue(OptionsOf(&judge, 1, 10));
  Client fails(Request("fails")), throws(Request("throws")), after(Request("after"));
  ASSERT_TRUE(queue.Add({fails.Waiter(), throws.Waiter(), after.Waiter()}));
  EXPECT_EQ(fails.Wait().text, "the worker has ended");
  EXPECT_EQ(throws.Wait().end, WaitEnd::kJudged);
  judge.Allow(1);
  EXPECT_EQ(after.Wait().text, "key of after");
}

TEST(JudgingQueue, StoppingAnswersWhatIsJudgedAndRefusesTheRest) {
  HeldJudge judge(0);
  JudgingQueue queue(OptionsOf(&judge, 1, 10));
  Client running(Request("running")), waiting(Request("waiting")), late(Request("late"));
  ASSERT_TRUE(queue.Add({running.Waiter(), waiting.Waiter()}));
  judge.Begun(1);
  std::thread stop([&] { queue.Stop(); });
  EXPECT_EQ(waiting.Wait().end, WaitEnd::kStopping);
  EXPECT_FALSE(queue.Add({late.Waiter()}));
  EXPECT_TRUE(queue.load().stopping);
  judge.Allow(1);
  EXPECT_EQ(running.Wait().end, WaitEnd::kJudged);
  stop.join();
  EXPECT_EQ(judge.Begun(1).size(), 1u);
}

// A lane goes on with the reference that it has, but not while others wait for ever.
TEST(JudgingQueue, CandidatesOfOneReferenceAreJudgedInARow) {
  constexpr std::size_t kOfEach = 40;
  HeldJudge judge(0);
  JudgingQueue queue(OptionsOf(&judge, 1, 1'000));
  std::vector<Client> clients;
  for (std::size_t i = 0; i < kOfEach; ++i) {
    clients.emplace_back(Request("a" + std::to_string(i), "one"));
    clients.emplace_back(Request("b" + std::to_string(i), "other"));
  }
  for (Client& client : clients) ASSERT_TRUE(queue.Add({client.Waiter()}));
  judge.Allow(2 * kOfEach);
  for (Client& client : clients) EXPECT_EQ(client.Wait().end, WaitEnd::kJudged);
  const std::vector<std::string> begun = judge.Begun(2 * kOfEach);
  std::size_t changes = 0, longest = 1, row = 1;
  for (std::size_t i = 1; i < begun.size(); ++i) {
    row = begun[i][0] == begun[i - 1][0] ? row + 1 : 1;
    changes += row == 1 ? 1 : 0;
    longest = std::max(longest, row);
  }
  EXPECT_LE(changes, 8u);
  EXPECT_LE(longest, 2 * 18u);
}

// Many clients with few different jobs, some of whom go or have short deadlines: each is answered
// once at most, with the verdict on its own job, and equal jobs are never judged side by side.
TEST(JudgingQueue, ManyClients) {
  std::mutex mutex;
  std::multiset<std::string> running;
  std::atomic<int> judged = 0;
  const auto judge = [&](const VerifyRequest& request) -> Result<JudgePool::Judged> {
    {
      const std::lock_guard lock(mutex);
      running.insert(*request.code);
      EXPECT_EQ(running.count(*request.code), 1u);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    const std::lock_guard lock(mutex);
    running.erase(*request.code);
    ++judged;
    JudgePool::Judged result;
    result.key = *request.code;
    return result;
  };
  JudgingQueue queue(
      {.lanes = 3, .most_waiting = 20, .open_lane = [&] { return JudgingQueue::Judge(judge); }});
  std::atomic<int> answered = 0, refused = 0, cancelled = 0, added = 0;
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 8; ++seed) {
    threads.emplace_back([&, seed] {
      std::mt19937 random(seed);
      for (int i = 0; i < 200; ++i) {
        const std::string code = std::to_string(random() % 30);
        const auto calls = std::make_shared<std::atomic<int>>(0);
        const auto tickets =
            queue.Add({{Request(code, "model", milliseconds(random() % 5 == 0 ? 1 : 10'000)),
                        [&, calls, code](WaitEnd end, const Result<JudgePool::Judged>* result) {
                          EXPECT_EQ(calls->fetch_add(1), 0);
                          if (end == WaitEnd::kJudged) EXPECT_EQ((*result)->key, code);
                          ++answered;
                        }}});
        tickets ? ++added : ++refused;
        if (tickets && random() % 10 == 0) {
          queue.Cancel(*tickets);
          cancelled += calls->load() == 0 ? 1 : 0;
        }
        if (!tickets) std::this_thread::sleep_for(milliseconds(1));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  queue.Stop();
  EXPECT_EQ(added + refused, 8 * 200);
  EXPECT_GT(judged, 0);
  EXPECT_LE(judged, added);
  // A call that has begun when its ticket is cancelled may still end.
  EXPECT_GE(answered + cancelled, added);
}

}  // namespace
}  // namespace kernelmill
