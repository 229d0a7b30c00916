#include "stages/retry/retry_item.h"

#include <gtest/gtest.h>

#include "stages/retry/retry_round.h"
#include "tests/stages/retry/retry_samples.h"

namespace kernelmill {
namespace {

// An entry that goes back to the queue begins a new time to live. If the round has no room for it,
// it was evicted, although its old time was over.
TEST(RetryItemsOf, AnEntryThatReturnedIsEvictedAndNotExpired) {
  const RetryOptions options{.capacity = 1, .time_to_live = 1, .min_scored = 1};
  const auto failed = [](const std::string& task, bool retry) {
    return GroupOf(task, {Wrong(0), Wrong(1)}, retry);
  };
  const Result<RetryGeneration> first =
      NextRetryGeneration({}, DigestOf("none"), {failed("a", false)}, options);
  ASSERT_TRUE(first.ok());
  ASSERT_EQ(first->entries.size(), 1u);
  const std::vector<RetryGroup> groups = {failed("a", true), failed("b", false)};
  const Result<RetryGeneration> second =
      NextRetryGeneration(*first, DigestOf("first"), groups, options);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->changes.evicted, 1);
  EXPECT_EQ(second->changes.expired, 0);
  const Result<std::vector<RetryItem>> items = RetryItemsOf(*first, groups, {}, *second);
  ASSERT_TRUE(items.ok()) << items.status().message();
  for (const RetryItem& item : *items) {
    EXPECT_EQ(item.reason, item.key == KeyOf("a") ? kRetryEvicted : kRetryEntered);
  }
}

}  // namespace
}  // namespace kernelmill
