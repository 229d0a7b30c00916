#include "stages/drift/drift_mask.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "manifests/split_mix.h"
#include "stages/drift/drift_report.h"

namespace kernelmill {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// A response whose token i has the id i and the i-th log-prob.
ModelSample Response(const std::vector<double>& log_probs) {
  ModelSample sample;
  for (const double log_prob : log_probs) {
    const auto id = static_cast<std::int64_t>(sample.log_probs.size());
    sample.log_probs.push_back({"t" + std::to_string(id), id, log_prob});
  }
  return sample;
}

TokenDrift Drift(const ModelSample& rollout, const ModelSample& train) {
  return DriftBetween({&rollout, 1.0, LogProbMode::kRaw}, {&train, 1.0, LogProbMode::kRaw});
}

// The drift of a policy by these differences from token to token.
TokenDrift DriftOf(const std::vector<double>& differences) {
  std::vector<double> rollout, train;
  for (const double difference : differences) {
    rollout.push_back(-1);
    train.push_back(-1 + difference);
  }
  return Drift(Response(rollout), Response(train));
}

// By hand, from MusaCoder's equations 20 and 21.
TEST(DriftMask, EqualsTheWorkedExamples) {
  const DriftMask kept = MaskOf(DriftOf({0.05, -0.08, 0.10, -0.04}), kDefaultDelta);
  EXPECT_NEAR(*kept.drift.d, 0.0675, 1e-12);
  EXPECT_EQ(kept.state, MaskState::kKept);
  const DriftMask masked = MaskOf(DriftOf({0.9, -0.85, 0.8, -0.95}), kDefaultDelta);
  EXPECT_NEAR(*masked.drift.d, 0.875, 1e-12);
  EXPECT_NEAR(masked.drift.signed_mean, -0.025, 1e-12);  // Signed, it would be kept.
  EXPECT_EQ(masked.state, MaskState::kMasked);
  EXPECT_EQ(masked.reason, kDrifted);
}

TEST(DriftMask, KeepsWhatIsAtTheThreshold) {
  EXPECT_EQ(MaskOf(DriftOf({0.25, -0.25}), 0.25).state, MaskState::kKept);
  EXPECT_EQ(MaskOf(DriftOf({0.25, -0.25}), 0.2499).state, MaskState::kMasked);
}

TEST(DriftMask, AbsentLogProbsAreUnscoredAndNotZero) {
  ModelSample absent = Response({});
  for (const std::string_view problem : {std::string_view(), kLogProbsAbsent}) {
    absent.log_prob_problem = problem;
    for (const DriftMask& mask : {MaskOf(Drift(absent, Response({-1})), kDefaultDelta),
                                  MaskOf(Drift(Response({-1}), absent), kDefaultDelta)}) {
      EXPECT_EQ(mask.state, MaskState::kUnscored);
      EXPECT_EQ(mask.drift.d, std::nullopt);
      EXPECT_EQ(mask.reason, kLogProbsAbsent);
      EXPECT_TRUE(mask.ToJson().Find("d")->is_null());
    }
  }
}

TEST(DriftMask, WhatCannotBeComparedIsMaskedWithAReason) {
  const ModelSample good = Response({-1, -2});
  const auto reason = [&](const TokenDrift& drift) {
    const DriftMask mask = MaskOf(drift, kDefaultDelta);
    EXPECT_EQ(mask.state, MaskState::kMasked);
    EXPECT_EQ(mask.drift.d, std::nullopt);
    return mask.reason;
  };
  // What the readers found out.
  for (const std::string_view problem : {kLogProbsMalformed, kLogProbsLength, kLogProbsNotFinite}) {
    ModelSample bad = good;
    bad.log_prob_problem = problem;
    EXPECT_EQ(reason(Drift(bad, good)), problem);
    EXPECT_EQ(reason(Drift(good, bad)), problem);
  }
  EXPECT_EQ(reason(Drift(good, Response({-1, kNaN}))), kLogProbsNotFinite);
  EXPECT_EQ(reason(Drift(good, Response({-1, -INFINITY}))), kLogProbsNotFinite);
  EXPECT_EQ(reason(Drift(good, Response({-1, -2, -3}))), kTokensDiffer);
  ModelSample other = good;
  other.log_probs[1].id = 7;  // The same text.
  EXPECT_EQ(reason(Drift(good, other)), kTokensDiffer);
}

TEST(DriftMask, ComparesTextsWhereThereAreNoIds) {
  const ModelSample good = Response({-1, -2});
  ModelSample texts = good, ids = good;
  for (TokenLogProb& token : texts.log_probs) token.id.reset();
  for (TokenLogProb& token : ids.log_probs) token.token.clear();
  EXPECT_EQ(Drift(good, texts).d, 0.0);
  EXPECT_EQ(Drift(texts, texts).d, 0.0);
  EXPECT_EQ(Drift(good, ids).d, 0.0);
  EXPECT_EQ(Drift(ids, texts).problem, kTokensUnknown);
  ModelSample other = texts;
  other.log_probs[0].token = "else";
  EXPECT_EQ(Drift(texts, other).problem, kTokensDiffer);
  ModelSample ends = texts;  // The last token has no text, as a token that ends a message.
  ends.log_probs[1].token.clear();
  EXPECT_EQ(Drift(ends, ends).d, 0.0);
  ends.log_probs[0].token.clear();
  EXPECT_EQ(Drift(ends, ends).problem, kTokensUnknown);
}

TEST(DriftMask, OtherConditionsAreNoDrift) {
  const ModelSample good = Response({-1, -2});
  const auto problem = [&](std::optional<double> a, std::optional<LogProbMode> a_mode,
                           std::optional<double> b, std::optional<LogProbMode> b_mode) {
    return DriftBetween({&good, a, a_mode}, {&good, b, b_mode}).problem;
  };
  const LogProbMode raw = LogProbMode::kRaw, processed = LogProbMode::kProcessed;
  EXPECT_EQ(problem(0.7, raw, 0.7, raw), "");
  EXPECT_EQ(problem(0.7, raw, 1.0, raw), "");
  EXPECT_EQ(problem(0.7, raw, std::nullopt, raw), "");
  EXPECT_EQ(problem(0.7, processed, 0.7, processed), "");
  EXPECT_EQ(problem(0.7, processed, 1.0, processed), kTemperatureDiffers);
  EXPECT_EQ(problem(0.7, raw, 0.7, processed), kModeDiffers);
  EXPECT_EQ(problem(0.7, processed, std::nullopt, processed), kTemperatureUnknown);
  EXPECT_EQ(problem(0.7, raw, 0.7, std::nullopt), kModeUnknown);
  for (const LogProbMode mode : {raw, processed}) {
    EXPECT_EQ(LogProbModeNamed(LogProbModeName(mode)).value(), mode);
  }
  EXPECT_EQ(LogProbModeNamed("both").status().code(), ErrorCode::kConfig);
}

TEST(CalibratedDelta, IsThreeMediansButNotTooLittle) {
  EXPECT_DOUBLE_EQ(CalibratedDelta({0.9, 0.04, 0.05}).value(), 0.15);
  EXPECT_DOUBLE_EQ(CalibratedDelta({0.04, 0.02}).value(), 0.09);
  EXPECT_DOUBLE_EQ(CalibratedDelta({0.001, 0.002, 0}).value(), 0.05);
  for (const std::vector<double>& bad : {std::vector<double>(), {0.1, kNaN}, {-0.1}}) {
    EXPECT_EQ(CalibratedDelta(bad).status().code(), ErrorCode::kConfig);
  }
}

// Whatever the differences are: d lies between |signed mean| and the largest difference, and does
// not depend on their signs.
TEST(DriftMask, SignsDoNotCancel) {
  std::uint64_t state = 5;
  const auto number = [&] { return static_cast<double>(NextMixedBits(&state) >> 11) * 0x1p-53; };
  for (int round = 0; round < 1000; ++round) {
    std::vector<double> differences, flipped;
    double largest = 0;
    for (int i = 0; i < 1 + round % 40; ++i) {
      differences.push_back(number() - 0.5);
      flipped.push_back(number() < 0.5 ? differences.back() : -differences.back());
      largest = std::max(largest, std::abs(differences.back()));
    }
    const TokenDrift drift = DriftOf(differences);
    EXPECT_GE(*drift.d + 1e-12, std::abs(drift.signed_mean));
    EXPECT_LE(*drift.d, largest + 1e-12);
    EXPECT_NEAR(*DriftOf(flipped).d, *drift.d, 1e-12);
  }
}

MaskedResponse Masked(std::optional<double> reward, const std::vector<double>& differences) {
  return {reward, reward && *reward >= 1, MaskOf(DriftOf(differences), kDefaultDelta)};
}

TEST(RewardGroup, MaskedResponsesStayInTheStatistics) {
  const std::vector<MaskedResponse> kept = {Masked(1.0, {0}), Masked(-1.0, {0}), Masked(-1.0, {0}),
                                            Masked(1.0, {0})};
  std::vector<MaskedResponse> masked = kept;
  masked[0] = Masked(1.0, {5});
  masked[2] = Masked(-1.0, {-5});
  for (const auto& responses : {kept, masked}) {
    const RewardGroup group = RewardGroupOf(responses);
    EXPECT_EQ(group.rewarded, 4);
    EXPECT_DOUBLE_EQ(*group.mean, 0);
    EXPECT_DOUBLE_EQ(*group.deviation, 1);
  }
  EXPECT_EQ(RewardGroupOf(masked).masked, 2);
}

TEST(RewardGroup, IsOverWhatHasAReward) {
  EXPECT_EQ(RewardGroupOf({}).mean, std::nullopt);
  const RewardGroup group = RewardGroupOf({Masked(std::nullopt, {5}), Masked(0.5, {0})});
  EXPECT_EQ(group.responses, 2);
  EXPECT_EQ(group.rewarded, 1);
  EXPECT_EQ(group.masked, 0);
  EXPECT_DOUBLE_EQ(*group.mean, 0.5);
}

TEST(DriftReport, SaysHowManyOfTheMaskedAreCorrect) {
  const DriftReport report =
      ReportDrift({Masked(1.0, {0.01}), Masked(-1.0, {0.03}), Masked(1.0, {2}), Masked(-1.0, {3}),
                   Masked(-1.0, {4}), Masked(1.5, {5}), Masked(std::nullopt, {6}), Masked(1.0, {})},
                  kDefaultDelta);
  EXPECT_EQ(report.kept.responses, 2);
  EXPECT_EQ(report.masked.responses, 5);
  EXPECT_EQ(report.masked.rewarded, 4);
  EXPECT_DOUBLE_EQ(*report.masked.CorrectShare(), 0.5);
  EXPECT_EQ(report.unscored.responses, 1);
  EXPECT_EQ(report.reasons, (std::map<std::string, std::int64_t>{{"absent", 1}, {"drift", 5}}));
  EXPECT_DOUBLE_EQ(*report.median_d, 3);
  EXPECT_DOUBLE_EQ(*report.largest_d, 6);
  EXPECT_EQ(report.ToJson().Find("masked")->Find("correct_share")->as_double(), 0.5);
  EXPECT_TRUE(ReportDrift({}, 0.1).ToJson().Find("masked")->Find("correct_share")->is_null());
}

}  // namespace
}  // namespace kernelmill
