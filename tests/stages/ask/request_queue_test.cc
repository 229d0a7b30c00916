#include "stages/ask/request_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace kernelmill {
namespace {

using Clock = RequestQueue::Clock;
using std::chrono::minutes;
using std::chrono::seconds;

const Clock::time_point kBegin{std::chrono::hours(5)};

QueuedRequest Request(std::size_t prompt) {
  return {.attempts = {.prompt = prompt, .first = 0, .count = 1}};
}

// Takes and sends the next request, when it may be sent; the time.
Clock::time_point TakeNext(RequestQueue* queue, Clock::time_point now, std::int64_t tokens,
                           std::size_t* prompt) {
  if (queue->Next() > now) {
    now = queue->Next();
    EXPECT_FALSE(queue->Take(now - std::chrono::nanoseconds(1)));
  }
  const std::optional<QueuedRequest> request = queue->Take(now);
  EXPECT_TRUE(request.has_value());
  if (request) *prompt = request->attempts.prompt;
  queue->Sent(now, tokens);
  return now;
}

TEST(RequestQueue, WithoutLimitsEverythingIsSentAtOnceInOrder) {
  RequestQueue queue(0, 0);
  for (std::size_t i = 0; i < 3; ++i) queue.AddLast(Request(i));
  queue.AddFirst(Request(9));
  for (const std::size_t expected : {9u, 0u, 1u, 2u}) {
    ASSERT_FALSE(queue.is_empty());
    EXPECT_EQ(queue.Take(kBegin)->attempts.prompt, expected);
    queue.Sent(kBegin, 1'000'000);
  }
  EXPECT_TRUE(queue.is_empty());
  EXPECT_FALSE(queue.Take(kBegin));
}

TEST(RequestQueue, WhatFailedWaitsAndThenGoesFirst) {
  RequestQueue queue(0, 0);
  queue.AddAt(kBegin + seconds(2), Request(2));
  queue.AddAt(kBegin + seconds(1), Request(1));
  EXPECT_EQ(queue.Next(), kBegin + seconds(1));
  EXPECT_FALSE(queue.Take(kBegin));
  queue.AddLast(Request(7));
  EXPECT_EQ(queue.Take(kBegin)->attempts.prompt, 7u);
  queue.AddLast(Request(8));
  EXPECT_EQ(queue.Take(kBegin + seconds(3))->attempts.prompt, 1u);
  EXPECT_EQ(queue.Take(kBegin + seconds(3))->attempts.prompt, 2u);
  EXPECT_EQ(queue.Take(kBegin + seconds(3))->attempts.prompt, 8u);
}

TEST(RequestQueue, APauseHoldsForAll) {
  RequestQueue queue(0, 0);
  queue.AddLast(Request(1));
  queue.PauseUntil(kBegin + seconds(9));
  queue.PauseUntil(kBegin + seconds(4));  // A shorter one does not end it.
  EXPECT_EQ(queue.Next(), kBegin + seconds(9));
  EXPECT_FALSE(queue.Take(kBegin + seconds(8)));
  EXPECT_TRUE(queue.Take(kBegin + seconds(9)));
}

// In no minute are more requests and tokens sent than the limits say, and the request that is in
// excess of them; and when the requests are short, the limit is used.
TEST(RequestQueue, NoMinuteHoldsMoreThanTheLimits) {
  std::mt19937 random(11);
  for (int round = 0; round < 50; ++round) {
    const std::int64_t requests = 1 + random() % 600, tokens = 1 + random() % 100'000;
    RequestQueue queue(requests, tokens);
    struct Sent {
      Clock::time_point time;
      std::int64_t tokens;
    };
    std::vector<Sent> sent;
    Clock::time_point now = kBegin;
    for (int i = 0; i < 400; ++i) {
      const std::int64_t expected = random() % 3'000, used = expected * (random() % 100) / 100;
      std::size_t prompt = 0;
      queue.AddLast(Request(0));
      now = TakeNext(&queue, now, expected, &prompt);
      queue.CorrectTokens(used - expected);
      sent.push_back({now, used});
      if (random() % 20 == 0) now += seconds(random() % 90);
    }
    for (std::size_t first = 0; first < sent.size(); ++first) {
      std::int64_t count = 0, sum = 0;
      for (std::size_t i = first; i < sent.size(); ++i) {
        if (sent[i].time - sent[first].time >= minutes(1)) break;
        // The limit may be reached; what goes beyond it is one request.
        ASSERT_LE(count, requests);
        ASSERT_LE(sum, tokens + 1);
        ++count;
        sum += sent[i].tokens;
      }
    }
  }
}

TEST(RequestQueue, ALimitIsUsed) {
  RequestQueue queue(60, 0);
  Clock::time_point now = kBegin;
  std::size_t prompt = 0;
  for (std::size_t i = 0; i <= 600; ++i) {
    queue.AddLast(Request(i));
    now = TakeNext(&queue, now, 5, &prompt);
    EXPECT_EQ(prompt, i);
  }
  EXPECT_EQ(now - kBegin, minutes(10));
}

}  // namespace
}  // namespace kernelmill
