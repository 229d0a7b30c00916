// Small constructed counters, and what analyses say about them.
#include "generators/reasoning/performance_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generators/grounding/false_relations.h"
#include "generators/reasoning/call_limit.h"
#include "generators/reasoning/global_accesses.h"
#include "generators/reasoning/performance_numbers.h"
#include "tests/generators/task_rows/small_known_task.h"

namespace kernelmill {
namespace {

using testing::HasSubstr;
using testing::Not;

// The small task with one answer, whose kernel has this signature and body and whose output has so
// many floats.
struct Constructed {
  Constructed(const std::string& parameters, const std::string& body, std::int64_t floats)
      : known(SmallTask()) {
    known.facts.outputs = {{.shape = {floats}, .dtype = "float32", .stride = {1}}};
    known.facts.operators.back().outputs = known.facts.outputs;
    known.candidates.resize(1);
    Candidate& answer = known.candidates[0].candidate;
    answer = Answer("cuda", false).candidate;
    answer.code = Replaced(
        answer.code, "const float* __restrict__ x, float* __restrict__ out, int n", parameters);
    answer.code = Replaced(answer.code, "out[i] = 2.0f * fmaxf(x[i], 0.0f);", body);
    counts().blocks = 216;
    counts().threads = 216 * 256;
  }
  Candidate& answer() { return known.candidates[0].candidate; }
  VerdictCounts& counts() { return *answer().verdict.launches[0].counts; }
  void Count(std::int64_t loads, std::int64_t load_sectors, std::int64_t stores,
             std::int64_t store_sectors, std::int64_t lanes) {
    counts().global_load_requests = loads;
    counts().global_load_sectors = load_sectors;
    counts().global_store_requests = stores;
    counts().global_store_sectors = store_sectors;
    counts().active_lanes = (loads + stores) * lanes;
  }
  std::string Text(std::string (*part)(const ReasoningSubject&, PromptLanguage)) {
    const AnswerCode code = ReadAnswerCode(answer());
    const Wording wording(known.id, known.seed);
    const std::string text =
        part({known, answer(), code, wording, 2, true}, PromptLanguage::kEnglish);
    const std::vector<std::string> refused = FalseRelations(text, known, {&answer()});
    EXPECT_TRUE(refused.empty()) << refused.front() << "\n" << text;
    EXPECT_FALSE(part({known, answer(), code, wording, 2, true}, PromptLanguage::kChinese).empty());
    return text;
  }
  bool Refuses(const std::string& sentence) {
    return !FalseRelations(sentence, known, {&answer()}).empty();
  }

  KnownTask known;
};

constexpr char kFloats[] = "const float* __restrict__ x, float* __restrict__ out, int n";
constexpr char kCopy[] = "out[i] = x[i];";

TEST(AnalysedStores, OfHalfAWarpWithStrideTwoWasteHalfOfTheSectors) {
  Constructed one(kFloats, kCopy, 18'432);
  one.Count(0, 0, 1152, 4608, 16);
  EXPECT_THAT(one.Text(CountersText),
              HasSubstr("The stores touch 4608 sectors, 2.0 times the 2304 that the output fills: "
                        "an average request stores 64 bytes, which fit in 2 sectors, and touches "
                        "4.0."));
  EXPECT_TRUE(
      one.Refuses("A store request touches 4.0 sectors on average; 32 neighbouring lanes "
                  "with 4 bytes each need 4, so the stores are coalesced."));
}

TEST(AnalysedStores, OfMoreThanTheOutputAreNotComparedWithIt) {
  Constructed one(kFloats, kCopy, 18'432);
  one.known.facts.operators.back().outputs[0].shape = {36'864};
  one.Count(0, 0, 1152, 4608, 32);
  EXPECT_THAT(one.Text(CountersText), Not(HasSubstr("the output fills")));
  one.known.facts.operators.clear();
  EXPECT_THAT(one.Text(CountersText), Not(HasSubstr("the output fills")));
}

TEST(AnalysedStores, AreJudgedByTheirOwnWidth) {
  Constructed one(
      "const int64_t* __restrict__ index, const float* __restrict__ weight, "
      "float* __restrict__ out, int n",
      "out[i] = weight[index[i / 80] * 80 + i % 80];", 40'960 * 8);
  one.Count(4'587'520, 11'927'552, 10'240, 40'960, 32);
  const std::string text = one.Text(CountersText);
  EXPECT_THAT(text, HasSubstr("The stores touch 40,960 sectors, and the output fills 40,960"));
  EXPECT_THAT(text, HasSubstr("The average of 2.6 sectors per load request mixes elements of "
                              "different sizes (`weight` and `index`)"));
  // At smaller sizes the width of a float decides.
  one.answer().verdict.sizes = {{1, {"batch_size"}, 256}};
  EXPECT_THAT(
      one.Text(CountersText),
      HasSubstr("A store request touches 4.0 sectors on average; 32 neighbouring lanes with "
                "4 bytes each need 4, so the stores are coalesced."));
}

TEST(AnalysedLoads, ThatShareAddressesAreNotCalledCoalesced) {
  Constructed one(kFloats, kCopy, 32'000);
  one.Count(1000, 1000, 1000, 4000, 32);
  const std::string text = one.Text(CountersText);
  EXPECT_THAT(text,
              HasSubstr("A load request touches 1.0 sectors on average, fewer than the 4 that "
                        "32 different elements of 4 bytes need"));
  EXPECT_TRUE(
      one.Refuses("A load request touches 1.0 sectors on average; 32 neighbouring lanes "
                  "with 4 bytes each need 4, so the loads are coalesced."));
}

TEST(AnalysedGrid, OfFewBlocksDoesNotHideLatency) {
  Constructed one(kFloats, kCopy, 32'768);
  one.counts().blocks = 32;
  one.counts().threads = 32 * 256;
  const std::string text = one.Text(CountersText);
  EXPECT_THAT(text, HasSubstr("Registers (10 per thread) and shared memory allow 100 % occupancy, "
                              "but the grid has 32 blocks for 108 multiprocessors, so 76 of them "
                              "are idle and the others have 8 warps."));
  EXPECT_TRUE(
      one.Refuses("Registers (10 per thread) and shared memory allow 100 % occupancy, and "
                  "the grid has 0.3 blocks per multiprocessor, so enough warps are resident "
                  "to hide the latency of memory."));
  one.counts().blocks = 108 * 8;
  EXPECT_THAT(one.Text(CountersText), HasSubstr("enough warps are resident"));
  one.counts().blocks = 108 * 4;
  EXPECT_THAT(one.Text(CountersText),
              HasSubstr("the grid has only 4.0 blocks of 8 warps per multiprocessor"));
}

TEST(AnalysedLimit, BelowALaunchIsTheLaunch) {
  Constructed one(kFloats, kCopy, 32'768);
  one.answer().kernels[0].bytes = 262'144;
  one.answer().kernels[0].flops = 32'768;
  one.counts().blocks = 32;
  const std::string bound = one.Text(BoundText), advice = one.Text(AdviceText);
  EXPECT_THAT(bound, HasSubstr("this takes at least 0.16 µs. A launch takes several microseconds, "
                               "so launch latency is the limit."));
  EXPECT_THAT(bound, Not(HasSubstr("bandwidth is the limit")));
  EXPECT_THAT(advice, HasSubstr("Leave `relu_mul_kernel` as it is at these sizes"));
  EXPECT_TRUE(
      one.Refuses("At the peak rates of an A100 this takes at least 0.16 µs, longer than a "
                  "launch, so memory bandwidth is the limit."));
  EXPECT_TRUE(one.Refuses("Start more blocks: give each of them fewer elements."));
}

TEST(AnalysedLimit, AboveALaunchIsTheWorkOrTheGrid) {
  Constructed one(kFloats, kCopy, 32'768);
  one.answer().kernels[0].bytes = 100'000'000;
  EXPECT_THAT(one.Text(BoundText), HasSubstr("64 µs, longer than a launch, so memory bandwidth is "
                                             "the limit."));
  EXPECT_THAT(one.Text(AdviceText), Not(HasSubstr("as it is at these sizes")));
  EXPECT_TRUE(
      one.Refuses("Leave `relu_mul_kernel` as it is at these sizes: a faster kernel hardly "
                  "changes the time of a call."));
  one.counts().blocks = 4;
  EXPECT_THAT(one.Text(BoundText), HasSubstr("has only 4 blocks for 108 multiprocessors, so too "
                                             "little parallelism is the limit."));
  EXPECT_THAT(one.Text(AdviceText), HasSubstr("Start more blocks"));
}

TEST(AnalysedLimit, IsTheCacheWhereRequestsTakeLongerThanTheBytes) {
  Constructed one(kFloats, kCopy, 2'000'000);
  one.answer().kernels[0].bytes = 16'000'000;
  one.answer().kernels[0].flops = 2'000'000;
  one.Count(2'500'000, 20'000'000, 62'500, 250'000, 32);
  EXPECT_THAT(one.Text(BoundText),
              HasSubstr("But the warps request 40.5 times these bytes, for which the L2 cache (7.2 "
                        "TB/s) needs 89 µs unless L1 serves a part, so that is the limit"));
  EXPECT_THAT(one.Text(BoundText), Not(HasSubstr("memory bandwidth is the limit")));
  EXPECT_THAT(one.Text(WorthText), HasSubstr("Yes: the work of a call can at best fall from 89 µs "
                                             "to the 10 µs"));
  EXPECT_TRUE(
      one.Refuses("At the peak rates of an A100 this takes at least 10 µs, longer than a launch, "
                  "so memory bandwidth is the limit."));
  // Requests of about the bytes of the tensors leave the limit where it is.
  one.Count(62'500, 250'000, 62'500, 250'000, 32);
  EXPECT_THAT(one.Text(BoundText), HasSubstr("so memory bandwidth is the limit."));
  EXPECT_THAT(one.Text(WorthText), HasSubstr("No: memory bandwidth is the limit"));
  EXPECT_TRUE(
      one.Refuses("Yes: the work of a call can at best fall from 89 µs to the 10 µs of its "
                  "bytes and FLOPs."));
}

TEST(AnalysedLimit, IsSharedMemoryWhereItsPassesTakeLongest) {
  Constructed one(kFloats, kCopy, 458'752);
  one.answer().kernels[0].bytes = 2'000'000;
  one.answer().kernels[0].flops = 26'000'000;
  one.Count(71'680, 286'720, 14'336, 57'344, 32);
  one.counts().shared_load_requests = 917'504;
  one.counts().shared_store_requests = 57'344;
  one.counts().bank_conflicts = 57'344;
  EXPECT_THAT(one.Text(BoundText),
              HasSubstr("But the 1,032,192 passes through shared memory, one per cycle in each "
                        "multiprocessor, take at least 6.7 µs"));
  EXPECT_THAT(one.Text(WorthText), HasSubstr("Yes: the work of a call can at best fall from"));
  // Fewer passes take about as long as the launch.
  one.counts().shared_load_requests = 400'000;
  EXPECT_THAT(one.Text(BoundText), HasSubstr("about as long as the launches"));
  EXPECT_THAT(one.Text(WorthText), Not(HasSubstr("Yes")));
}

TEST(AnalysedAdvice, IsAboutTheKernelThatTakesTheTime) {
  Constructed one(kFloats, kCopy, 2'000'000);
  Candidate& answer = one.answer();
  answer.kernels[0].bytes = 16'000'000;
  one.Count(62'500, 1'000'000, 62'500, 250'000, 32);
  EXPECT_THAT(one.Text(AdviceText), HasSubstr("relu_mul_kernel"));
  // Beside a plan that moves a hundred times as much, its accesses do not matter.
  answer.kernels.push_back(answer.kernels[0]);
  answer.kernels[1].kernels = {"other_kernel"};
  answer.kernels[1].bytes = 1'600'000'000;
  EXPECT_THAT(one.Text(AdviceText), Not(HasSubstr("fewer sectors")));
}

TEST(LeastMicroseconds, AreRoundedDown) {
  const KnownDevice& a100 = KnownDeviceOf("cuda");
  EXPECT_EQ(LeastMicroseconds(0, 73'500, a100), "0.047");
  EXPECT_EQ(LeastMicroseconds(0, 279'000, a100), "0.17");
  EXPECT_EQ(LeastMicroseconds(0, 6'630'000, a100), "4.2");
  EXPECT_EQ(LeastMicroseconds(0, 70'000'000, a100), "44");
  EXPECT_EQ(LeastMicroseconds(0, 200'000'000, a100), "120");
  EXPECT_EQ(LeastMicroseconds(0, 1'560'000, a100), "1.0");
}

}  // namespace
}  // namespace kernelmill
