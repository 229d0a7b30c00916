#include "stages/audit/merge.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

namespace kernelmill {
namespace {

using testing::HasSubstr;

Json ConfigurationOf(const std::vector<int>& sources, const std::vector<int>& excluded) {
  Json::Array named, urls;
  for (const int number : sources) {
    named.push_back(Json::Object{{"git", std::to_string(number)}, {"revision", "r"}});
  }
  for (const int number : excluded) urls.push_back("https://example.org/" + std::to_string(number));
  return Json::Object{{"seed", 7},
                      {"partitions", 16 + static_cast<std::int64_t>(sources.size())},
                      {"sources", std::move(named)},
                      {"exclude_sources", std::move(urls)},
                      {"exclude_records", Json::Array()}};
}

TEST(MergedConfiguration, IsCommutativeAssociativeAndIdempotent) {
  std::mt19937 random(3);
  const auto drawn = [&] {
    std::vector<int> numbers;
    for (int i = 0; i < 8; ++i) {
      if (random() % 2 == 0) numbers.push_back(i);
    }
    std::shuffle(numbers.begin(), numbers.end(), random);
    return numbers;
  };
  const auto merged = [](const Json& a, const Json& b) {
    return MergedConfiguration(a, b).value();
  };
  for (int i = 0; i < 200; ++i) {
    const Json a = ConfigurationOf(drawn(), drawn()), b = ConfigurationOf(drawn(), drawn()),
               c = ConfigurationOf(drawn(), drawn());
    EXPECT_EQ(merged(a, b), merged(b, a));
    EXPECT_EQ(merged(merged(a, b), c), merged(a, merged(b, c)));
    EXPECT_EQ(merged(merged(a, b), b), merged(a, b));
  }
}

TEST(MergedConfiguration, NamesTheKeyThatDiffers) {
  Json a = ConfigurationOf({1}, {}), b = ConfigurationOf({2}, {});
  b["seed"] = 8;
  const Result<Json> merged = MergedConfiguration(a, b);
  ASSERT_FALSE(merged.ok());
  EXPECT_EQ(merged.status().code(), ErrorCode::kUsage);
  EXPECT_THAT(merged.status().message(), HasSubstr("differ in 'seed': 7 and 8"));
}

}  // namespace
}  // namespace kernelmill
