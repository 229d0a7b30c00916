#include "stages/trajectories/trajectory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parsers/samples/sample_format.h"
#include "parsers/samples/sample_numbers.h"

namespace kernelmill {
namespace {

using testing::ElementsAre;

ModelSample SampleOf(const std::string& line) {
  const SampleFormat* const format = RecogniseSampleFormat(line);
  EXPECT_NE(format, nullptr) << line;
  ParsedSamples parsed = ParseSamples(*format, line);
  EXPECT_EQ(parsed.samples.size(), 1u) << line;
  return parsed.samples.at(0);
}

TEST(TrajectoriesOf, GroupsTheTurnsOfAnAttempt) {
  std::vector<ModelSample> samples;
  for (const char* line : {
           R"({"task": "b", "attempt": 0, "turn": 2, "message": "x"})",
           R"({"task": "a", "attempt": 1, "turn": 1, "message": "x"})",
           R"({"task": "b", "attempt": 0, "turn": 1, "message": "x"})",
           R"({"task": "b", "attempt": 0, "turn": 1, "backend": "musa", "message": "x"})",
           R"({"task": "b", "attempt": 1, "turn": 1, "message": "x"})",
           R"({"task": "b", "attempt": 0, "turn": 3, "message": "x"})",
       }) {
    samples.push_back(SampleOf(line));
  }
  const std::vector<Trajectory> trajectories = TrajectoriesOf(samples);
  ASSERT_EQ(trajectories.size(), 4u);
  EXPECT_THAT(trajectories[0].samples, ElementsAre(2, 0, 5));
  EXPECT_THAT(trajectories[1].samples, ElementsAre(1));
  EXPECT_THAT(trajectories[2].samples, ElementsAre(3));
  EXPECT_EQ(trajectories[2].backend, &kMusaBackend);
  EXPECT_THAT(trajectories[3].samples, ElementsAre(4));
  EXPECT_EQ(trajectories[3].attempt, 1);
}

TEST(TrajectoriesOf, TurnsAreJoinedAcrossFormats) {
  SampleNumbers numbers;
  std::vector<ModelSample> samples;
  for (const char* line :
       {R"({"custom_id": "a:cuda:0:t1", "response": {"status_code": 200, "body": {"choices": [)"
        R"({"index": 0, "message": {"role": "assistant", "content": "x"}}]}}, "error": null})",
        R"({"task": "a", "backend": "cuda", "attempt": 0, "turn": 2, "message": "x"})",
        R"({"task": "a", "backend": "cuda", "turn": 3, "message": "x"})"}) {
    samples.push_back(SampleOf(line));
    ASSERT_FALSE(numbers.Add(&samples.back()));
  }
  // The last one does not say what it goes on with.
  const std::vector<Trajectory> trajectories = TrajectoriesOf(samples);
  ASSERT_EQ(trajectories.size(), 2u);
  EXPECT_EQ(trajectories[0].samples.size(), 2u);
}

TEST(TrajectoriesOf, ASampleWithoutANumberIsAlone) {
  std::vector<ModelSample> samples(3);
  for (ModelSample& sample : samples) sample.task = "a";
  EXPECT_EQ(TrajectoriesOf(samples).size(), 3u);
  EXPECT_TRUE(TrajectoriesOf({}).empty());
}

}  // namespace
}  // namespace kernelmill
