// A pipeline takes items in order, and the same number of them for any number of threads.
#include "stages/engine/pipeline.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace kernelmill {
namespace {

struct Number : PipelineItem {
  explicit Number(int is) : value(is) {}
  int value;
  int square = 0;
};

class Squares : public Pipeline {
 public:
  Result<std::unique_ptr<PipelineItem>> Next() override {
    if (next == end_in_error) return Status(ErrorCode::kIo, "cannot read on");
    if (next == count) return std::unique_ptr<PipelineItem>();
    most_under_way = std::max(most_under_way, next - done);
    return std::unique_ptr<PipelineItem>(std::make_unique<Number>(next++));
  }
  Result<std::unique_ptr<Lane>> OpenLane() override {
    ++lanes;
    return std::make_unique<Lane>();
  }
  Status Process(PipelineItem& item, Lane&) override {
    auto& number = static_cast<Number&>(item);
    // Every second item is slow; items that fail quickly are not.
    if (number.value % 2 == 1) std::this_thread::sleep_for(std::chrono::microseconds(300));
    if (number.value >= first_wrong) {
      return Status(ErrorCode::kWorker, std::to_string(number.value));
    }
    number.square = number.value * number.value;
    return Status::Ok();
  }
  Status Take(PipelineItem& item) override {
    const auto& number = static_cast<Number&>(item);
    if (number.value == not_taken) return Status(ErrorCode::kIo, "disk full");
    taken.push_back(number.square);
    ++done;
    return Status::Ok();
  }

  int count = 800, end_in_error = -1, first_wrong = 10000, not_taken = -1;
  int next = 0, most_under_way = 0;
  std::atomic<int> lanes = 0;
  std::atomic<int> done = 0;  // Atomic, because Take() may run concurrently with Next().
  std::vector<int> taken;
};

std::vector<int> SquaresBelow(int end) {
  std::vector<int> squares;
  for (int i = 0; i < end; ++i) squares.push_back(i * i);
  return squares;
}

TEST(Pipeline, TakesItemsInOrder) {
  for (const int jobs : {1, 2, 5}) {
    Squares pipeline;
    EXPECT_TRUE(RunInOrder(pipeline, jobs).ok());
    EXPECT_EQ(pipeline.taken, SquaresBelow(800)) << jobs;
    EXPECT_LE(pipeline.lanes, jobs);
    EXPECT_LE(pipeline.most_under_way, 64 * jobs);
  }
}

TEST(Pipeline, TakesWhatStandsBeforeTheFirstFailure) {
  for (const int jobs : {1, 2, 5}) {
    SCOPED_TRACE(jobs);
    Squares wrong;
    wrong.first_wrong = 77;  // This item is slow, and those after it are not.
    const Status status = RunInOrder(wrong, jobs);
    EXPECT_EQ(status.code(), ErrorCode::kWorker);
    EXPECT_EQ(status.message(), "77");
    EXPECT_EQ(wrong.taken, SquaresBelow(77));
    EXPECT_LT(wrong.next, 800);

    Squares unread;
    unread.end_in_error = 30;
    EXPECT_EQ(RunInOrder(unread, jobs).code(), ErrorCode::kIo);
    EXPECT_EQ(unread.taken, SquaresBelow(30));

    Squares full;
    full.not_taken = 50;
    EXPECT_EQ(RunInOrder(full, jobs).message(), "disk full");
    EXPECT_EQ(full.taken, SquaresBelow(50));
    EXPECT_LT(full.next, 800);
  }
}

}  // namespace
}  // namespace kernelmill
