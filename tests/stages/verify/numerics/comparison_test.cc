#include "stages/verify/numerics/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <set>

#include "corpora/records/verdict.h"
#include "manifests/json_fields.h"
#include "parsers/samples/message_code.h"
#include "stages/verify/legality/library_symbols.h"
#include "stages/verify/legality/policy.h"
#include "stages/verify/numerics/error_pattern.h"

namespace kernelmill {
namespace {

// A float32 tensor that owns its bytes.
struct Floats {
  std::string bytes;
  TensorValues tensor;

  Floats(std::vector<std::int64_t> shape, const std::vector<float>& values)
      : bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)),
        tensor(*TensorValues::FromSpec(Json::Object{{"dtype", "float32"},
                                                    {"shape", ToJson(shape)},
                                                    {"stride", Json::Array{}},
                                                    {"offset", 0}},
                                       bytes)) {}
};

std::vector<float> Ramp(int count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    values[static_cast<std::size_t>(i)] = 1.0f + std::sin(i * 1.7f) * i;
  return values;
}

bool Passes(const std::vector<float>& expected, const std::vector<float>& got,
            ToleranceRule rule = ToleranceRule::kKernelBench,
            const std::vector<float>* oracle = nullptr,
            const std::vector<float>* nudged = nullptr, double own_scale = 0.0) {
  const std::vector<std::int64_t> shape = {static_cast<std::int64_t>(expected.size())};
  const Floats want(shape, expected), have(shape, got);
  const Floats exact(shape, oracle != nullptr ? *oracle : expected);
  const Floats near(shape, nudged != nullptr ? *nudged : expected);
  return CompareOutputs({.values = want.tensor,
                         .oracle = &exact.tensor,
                         .nudged = nudged != nullptr ? &near.tensor : nullptr,
                         .own_scale = own_scale},
                        have.tensor, rule)
             .fault == OutputFault::kNone;
}

TEST(Comparison, KeepsKernelBenchsTolerance) {
  EXPECT_TRUE(Passes({1.0f, -2.0f}, {1.0001f, -2.0002f}));
  EXPECT_FALSE(Passes({1.0f}, {1.0004f}));
  EXPECT_TRUE(Passes({0.0f}, {0.9e-4f}));
}

TEST(Comparison, KeepsKernelBenchsOlderTolerance) {
  const auto passes = [](float got) {
    return Passes({1.0f}, {got}, ToleranceRule::kCloseTo1Percent);
  };
  EXPECT_TRUE(passes(1.019f));
  EXPECT_FALSE(passes(1.021f));
}

TEST(Comparison, TakesNoNanForANumber) {
  const float nan = std::nanf("");
  EXPECT_FALSE(Passes({1.0f}, {nan}));
  EXPECT_FALSE(Passes({nan}, {1.0f}));
  EXPECT_TRUE(Passes({nan}, {nan}));
  EXPECT_FALSE(Passes({INFINITY}, {-INFINITY}));
}

TEST(Comparison, AllowsWhatRoundingsChangeWhereTheResultIsZeroByChance) {
  const std::vector<float> zeros(4, 0.0f), near = {1e-4f, -1e-4f, 1e-4f, 1e-4f};
  const auto passes = [&](float got, const std::vector<float>& nudged, double own_scale) {
    return Passes(zeros, std::vector<float>(4, got), ToleranceRule::kOracle, &zeros, &nudged,
                  own_scale);
  };
  EXPECT_TRUE(passes(5e-5f, near, 1.0));
  EXPECT_FALSE(passes(5e-4f, near, 1.0));
  EXPECT_FALSE(passes(std::nanf(""), near, 1.0));
  // Roundings that change nothing, or as much as the task's own results, allow nothing.
  EXPECT_FALSE(passes(5e-5f, zeros, 1.0));
  EXPECT_FALSE(passes(5e-5f, near, 1e-3));
  EXPECT_FALSE(passes(5e-5f, near, 0.0));
}

TEST(Comparison, TakesNoZerosForSmallValues) {
  EXPECT_TRUE(Passes({1e-5f, 2e-5f}, {0.0f, 0.0f}));
  EXPECT_FALSE(Passes({1e-5f, 2e-5f}, {0.0f, 0.0f}, ToleranceRule::kOracle));
}

TEST(Comparison, AllowsLongSumsTheirOrder) {
  const std::vector<float> expected = {300.0f, -200.0f, 0.5f};
  EXPECT_TRUE(Passes(expected, {302.0f, -201.0f, 0.7f}, ToleranceRule::kLongSums));
  EXPECT_FALSE(Passes(expected, {302.0f, -201.0f, 9.0f}, ToleranceRule::kLongSums));
  EXPECT_FALSE(Passes({1e-5f, 2e-5f}, {0.0f, 0.0f}, ToleranceRule::kLongSums));
}

TEST(Comparison, AllowsWhatFloat32CannotAvoid) {
  // The reference deviates from the exact result by 0.01.
  const std::vector<float> expected = {100.0f, 50.0f}, exact = {100.01f, 50.0f};
  EXPECT_TRUE(Passes(expected, {100.05f, 50.03f}, ToleranceRule::kOracle, &exact));
  EXPECT_FALSE(Passes(expected, {100.5f, 50.0f}, ToleranceRule::kOracle, &exact));
}

TEST(Comparison, WidensTheToleranceOfLooseElementsAlone) {
  // Next to a threshold the reference goes one way and its oracle the other.
  std::vector<float> expected(400, 0.2f), exact = expected;
  exact[7] = -0.9f;
  EXPECT_TRUE(Passes(expected, exact, ToleranceRule::kOracle, &exact));
  std::vector<float> got = expected;
  got[8] = -0.9f;
  EXPECT_FALSE(Passes(expected, got, ToleranceRule::kOracle, &exact));
  EXPECT_FALSE(Passes(expected, std::vector<float>(400, 0.0f), ToleranceRule::kOracle, &exact));
}

TEST(Comparison, DecidesNothingWhereManyElementsAreLoose) {
  const auto decides = [](int tipped, float other, ToleranceRule rule) {
    std::vector<float> expected(400, 0.2f), exact = expected;
    std::fill_n(exact.begin(), tipped, other);
    const Floats want({400}, expected), oracle({400}, exact);
    return CanDecide({.values = want.tensor, .oracle = &oracle.tensor}, rule);
  };
  for (const float other : {-0.9f, INFINITY}) {
    EXPECT_TRUE(decides(3, other, ToleranceRule::kOracle));
    EXPECT_FALSE(decides(5, other, ToleranceRule::kOracle));
    EXPECT_TRUE(decides(5, other, ToleranceRule::kKernelBench));
  }
  const Floats alone({2}, {0.2f, INFINITY});
  EXPECT_TRUE(CanDecide({.values = alone.tensor}, ToleranceRule::kOracle));
}

TEST(Comparison, AllowsFewElementsToBeIllConditioned) {
  const std::vector<float> expected(400, 0.2f);
  std::vector<float> got = expected, nudged = expected;
  for (const int i : {7, 8, 9}) nudged[static_cast<std::size_t>(i)] = 0.201f;
  const auto passes = [&] {
    return Passes(expected, got, ToleranceRule::kOracle, &expected, &nudged);
  };
  got[7] = 0.21f;
  EXPECT_TRUE(passes());
  EXPECT_FALSE(Passes(expected, got));
  got[8] = 0.21f;
  EXPECT_FALSE(passes());
  got[7] = got[8] = 0.2f;
  got[9] = 0.0f;
  EXPECT_FALSE(passes());
}

TEST(Comparison, ForgivesNoElementThatIsUnfinished) {
  // Roundings of the inputs hardly change the element, so they do not explain its error.
  const std::vector<float> expected(400, 0.2f);
  std::vector<float> got = expected, nudged = expected;
  nudged[7] = 0.2001f;
  got[7] = 0.21f;
  EXPECT_FALSE(Passes(expected, got, ToleranceRule::kOracle, &expected, &nudged));
  EXPECT_FALSE(Passes(expected, got, ToleranceRule::kOracle, &expected, nullptr));
  got[7] = 0.203f;
  EXPECT_TRUE(Passes(expected, got, ToleranceRule::kOracle, &expected, &nudged));
}

TEST(Comparison, IsNoStricterForLargeValuesThanForTheTasksOwn) {
  // A running sum that crosses zero. Other values are 64 times as large, and so are all errors.
  std::vector<float> exact(400);
  for (int i = 0; i < 400; ++i) exact[static_cast<std::size_t>(i)] = 100.0f * std::sin(i * 0.1f);
  std::vector<float> got = exact;
  for (float& value : got) value += 0.9e-4f;
  EXPECT_TRUE(Passes(exact, got, ToleranceRule::kOracle, &exact));
  std::vector<float> large = exact, large_got = exact;
  for (std::size_t i = 0; i < large.size(); ++i) large[i] *= 64, large_got[i] = large[i] + 5e-3f;
  EXPECT_FALSE(Passes(large, large_got, ToleranceRule::kOracle, &large));
  EXPECT_TRUE(Passes(large, large_got, ToleranceRule::kOracle, &large, nullptr, 70.7));
  large_got[0] += 5e-3f;
  EXPECT_FALSE(Passes(large, large_got, ToleranceRule::kOracle, &large, nullptr, 70.7));
}

TEST(Comparison, CountsTheErrorsOfTheFewElementsThatMatter) {
  // As the result of a softmax: nearly all elements are zero, and the others have large errors.
  std::vector<float> exact(1000, 0.0f), expected = exact;
  for (int i = 0; i < 5; ++i) exact[i] = 1.0f, expected[i] = i % 2 == 0 ? 1.1f : 0.9f;
  const Floats want({1000}, expected), oracle({1000}, exact);
  EXPECT_FALSE(CanDecide({.values = want.tensor, .oracle = &oracle.tensor}, ToleranceRule::kOracle));
  // With small errors, another element may have the error that these have.
  for (int i = 0; i < 5; ++i) expected[i] = exact[i] + (i % 2 == 0 ? 1e-3f : -1e-3f);
  expected[4] = 1.0f;
  std::vector<float> got = exact;
  got[4] = 1.001f;
  EXPECT_TRUE(Passes(expected, got, ToleranceRule::kOracle, &exact));
  got[4] = 1.2f;
  EXPECT_FALSE(Passes(expected, got, ToleranceRule::kOracle, &exact));
}

TEST(Comparison, ComparesWhatIsBeyondTheRangeOfADtype) {
  const std::uint16_t halves[] = {0x7C00, 0x3C00}, finite[] = {0x7BFF, 0x3C00};  // inf, 65504
  const double exact[] = {1e6, 1.0};
  const auto tensor = [](std::string_view dtype, const void* bytes, std::size_t size) {
    return *TensorValues::FromSpec(Json::Object{{"dtype", dtype},
                                                {"shape", Json::Array{Json(2)}},
                                                {"stride", Json::Array{Json(1)}},
                                                {"offset", 0}},
                                   std::string_view(static_cast<const char*>(bytes), size));
  };
  const TensorValues expected = tensor("float16", halves, sizeof(halves));
  const TensorValues oracle = tensor("float64", exact, sizeof(exact));
  EXPECT_TRUE(CanDecide({.values = expected, .oracle = &oracle}, ToleranceRule::kOracle));
  EXPECT_EQ(CompareOutputs({.values = expected, .oracle = &oracle}, expected, ToleranceRule::kOracle).compared, 2);
  const OutputComparison saturated = CompareOutputs(
      {.values = expected, .oracle = &oracle}, tensor("float16", finite, sizeof(finite)), ToleranceRule::kOracle);
  EXPECT_EQ(saturated.wrong, std::vector<std::int64_t>{0});
}

TEST(Comparison, ComparesTheLargestNumberOfEachDtype) {
  const double exact[] = {1.0, -DBL_MAX};
  const std::string bytes(reinterpret_cast<const char*>(exact), sizeof(exact));
  const TensorValues oracle = *TensorValues::FromSpec(
      Json::Object{{"dtype", "float64"},
                   {"shape", Json::Array{Json(2)}},
                   {"stride", Json::Array{Json(1)}},
                   {"offset", 0}}, bytes);
  const Floats want({2}, {1.0f, -FLT_MAX}), other({2}, {1.0f, FLT_MAX}), far({2}, {2.0f, -FLT_MAX});
  const auto wrong = [&](const Floats& got) {
    return CompareOutputs({want.tensor, &oracle}, got.tensor, ToleranceRule::kOracle).wrong;
  };
  EXPECT_TRUE(wrong(want).empty());
  EXPECT_EQ(wrong(other), std::vector<std::int64_t>{1});
  EXPECT_EQ(wrong(far), std::vector<std::int64_t>{0});
}

TEST(TensorValues, ReadsHalfAndBfloat16) {
  const std::uint16_t bits[] = {0x3C00, 0xC000, 0x0001, 0x7C00, 0x3F80};
  const std::string bytes(reinterpret_cast<const char*>(bits), sizeof(bits));
  Json spec = Json::Object{{"dtype", "float16"},
                           {"shape", Json::Array{Json(5)}},
                           {"stride", Json::Array{Json(1)}},
                           {"offset", 0}};
  const TensorValues half = *TensorValues::FromSpec(spec, bytes);
  EXPECT_EQ(half.At(0), 1.0);
  EXPECT_EQ(half.At(1), -2.0);
  EXPECT_EQ(half.At(2), std::ldexp(1.0, -24));
  EXPECT_TRUE(std::isinf(half.At(3)));
  EXPECT_FALSE(half.IsFreshNan(3));
  spec["dtype"] = "bfloat16";
  EXPECT_EQ(TensorValues::FromSpec(spec, bytes)->At(4), 1.0);
}

TEST(TensorValues, TellsFreshMemoryFromArithmetic) {
  const std::string fresh(16, '\xFF');
  // The NaN of torch, the NaN of 0 / 0, and a number.
  const std::uint16_t halves[] = {0x7E00, 0xFE00, 0x3C00};
  const std::uint16_t bfloats[] = {0x7FC0, 0xFFC0, 0x3F80};
  const std::uint32_t floats[] = {0x7FC00000, 0xFFC00000, 0x3F800000};
  const std::uint64_t doubles[] = {0x7FF8000000000000, 0xFFF8000000000000, 0x3FF0000000000000};
  const auto read = [](std::string_view dtype, std::int64_t size, const void* bytes) {
    return *TensorValues::FromSpec(Json::Object{{"dtype", dtype},
                                                {"shape", Json::Array{Json(size)}},
                                                {"stride", Json::Array{Json(1)}},
                                                {"offset", 0}},
                                   std::string_view(static_cast<const char*>(bytes), 24));
  };
  const std::string padded = fresh + std::string(8, '\0');
  const std::map<std::string_view, const void*> computed_nans = {
      {"float16", halves}, {"bfloat16", bfloats}, {"float32", floats}, {"float64", doubles}};
  for (const auto& [dtype, computed] : computed_nans) {
    SCOPED_TRACE(dtype);
    EXPECT_TRUE(read(dtype, 1, padded.data()).IsFreshNan(0));
    char bytes[24] = {};
    std::memcpy(bytes, computed, dtype == "float64" ? 24 : dtype == "float32" ? 12 : 6);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(read(dtype, 3, bytes).IsFreshNan(i), i == 0) << i;
  }
}

TEST(TensorValues, RefusesSpecsThatLeaveTheMemory) {
  const std::string bytes(64, '\0');
  const auto ok = [&](std::vector<std::int64_t> shape, std::int64_t offset) {
    return TensorValues::FromSpec(Json::Object{{"dtype", "float32"},
                                               {"shape", ToJson(shape)},
                                               {"stride", Json::Array{}},
                                               {"offset", offset}},
                                  bytes)
        .ok();
  };
  EXPECT_TRUE(ok({4, 4}, 0));
  EXPECT_FALSE(ok({4, 4}, 4));
  EXPECT_FALSE(ok({17}, 0));
  EXPECT_FALSE(ok({-1}, 0));
  EXPECT_FALSE(ok({1}, -4));
  EXPECT_FALSE(ok({std::int64_t{1} << 62, 8}, 0));
}

std::string PatternOf(std::vector<std::int64_t> shape, const std::vector<float>& expected,
                      const std::vector<float>& got, std::string* where = nullptr) {
  const Floats want(shape, expected), have(shape, got);
  const OutputComparison compared =
      CompareOutputs({.values = want.tensor}, have.tensor, ToleranceRule::kKernelBench);
  if (compared.wrong.empty()) return "right";
  const SeenPattern seen = FindErrorPattern(want.tensor, have.tensor, compared.wrong);
  if (where != nullptr) *where = seen.where;
  return std::string(seen.name);
}

// Uninitialized memory reads as a NaN with all bits set.
float FreshMemory() {
  float value;
  std::memset(&value, 0xFF, sizeof(value));
  return value;
}

TEST(ErrorPattern, KnowsUsualMistakes) {
  const std::vector<float> right = Ramp(12 * 20);
  std::string where;

  std::vector<float> got = right;
  for (int i = 100; i < 240; ++i) got[i] = FreshMemory();
  EXPECT_EQ(PatternOf({12, 20}, right, got, &where), "not_written");
  EXPECT_EQ(where, "where index 0 is 5 or more");
  for (int i = 100; i < 240; ++i) got[i] = i % 2 == 0 ? -std::nanf("") : INFINITY;
  EXPECT_EQ(PatternOf({12, 20}, right, got), "not_finite");

  got = right;
  for (float& value : got) value *= 2;
  EXPECT_EQ(PatternOf({12, 20}, right, got, &where), "factor");
  EXPECT_EQ(where, "each is 2 times what it should be");

  got = right;
  for (float& value : got) value += 3.5f;
  EXPECT_EQ(PatternOf({12, 20}, right, got), "offset");

  got = right;
  for (int r = 0; r < 12; ++r) {
    for (int c = 0; c < 20; ++c) got[c * 12 + r] = right[r * 20 + c];
  }
  EXPECT_EQ(PatternOf({12, 20}, right, got), "transposed");

  std::copy(right.begin() + 1, right.end(), got.begin());
  EXPECT_EQ(PatternOf({12, 20}, right, got), "shifted_element");
  std::copy(right.begin(), right.end() - 20, got.begin() + 20);
  EXPECT_EQ(PatternOf({12, 20}, right, got), "shifted_row");

  got = right;
  for (int r = 0; r < 12; ++r) {
    for (int c = 16; c < 20; ++c) got[r * 20 + c] = 0.0f;
  }
  EXPECT_EQ(PatternOf({12, 20}, right, got, &where), "zeros");
  EXPECT_EQ(where, "where index 1 is 16 or more");

  got = right;
  for (float& value : got) value *= 1.004f;
  EXPECT_EQ(PatternOf({12, 20}, right, got), "imprecise");
}


TEST(CandidateText, IsTheFirstBlockThatDefinesTheModel) {
  EXPECT_EQ(FindCandidateCode("<think>```python\nclass ModelNew: no\n```</think>\nSo:\n"
                              "```cpp\nint f();\n```\n```python\nclass ModelNew:\n  pass\n```\n"),
            "class ModelNew:\n  pass\n");
  EXPECT_EQ(FindCandidateCode("class ModelNew:\n  pass\n"), "class ModelNew:\n  pass\n");
  EXPECT_EQ(FindCandidateCode("I cannot do that."), std::nullopt);
  EXPECT_EQ(FindCandidateCode("```python\nclass ModelNew:\n  cut off"), std::nullopt);
}

TEST(LibrarySymbols, NameTheOperatorsOfTorch) {
  EXPECT_EQ(OperatorOfSymbol("_ZN2at4_ops2mm4callERKNS_6TensorES4_"), "aten::mm");
  EXPECT_EQ(OperatorOfSymbol("_ZN2at4_ops99999999999mm4call"), "");
  EXPECT_EQ(OperatorOfSymbol("_ZN2at6TensorC1Ev"), "");
  for (const char* name : {"mm", "mul_Tensor", "add__Scalar", "index_add", "masked_fill__Scalar",
                           "scatter_add_", "embedding_bag", "sum_dim_IntList", "relu"}) {
    EXPECT_TRUE(AlwaysComputes(std::string("aten::") + name)) << name;
  }
  for (const char* name : {"zeros", "empty_memory_format", "fill__Scalar", "select_int", "copy_",
                           "to_dtype_layout", "index_Tensor", "slice_Tensor", "_to_copy", "t",
                           "squeeze_dim", "cat", "result_type_Tensor", "arange_start_step"}) {
    EXPECT_FALSE(AlwaysComputes(std::string("aten::") + name)) << name;
  }
}

TEST(Policy, LetsDataMoveWhereThatIsNotTheTask) {
  using enum OperatorRuling;
  const auto strict = [](std::string_view name, const std::vector<std::string>& reference,
                         bool moves, bool called = true) {
    return RuleOnOperator(OperatorRule::kStrict, name, called, {reference, moves});
  };
  EXPECT_EQ(strict("aten::empty", {"aten::empty"}, true), kAllowed);
  EXPECT_EQ(strict("aten::mm", {"aten::add"}, false), kComputes);
  EXPECT_EQ(strict("aten::mm.out", {"aten::mm"}, false), kComputes);
  EXPECT_EQ(strict("aten::cat", {"aten::mm"}, false), kAllowed);
  EXPECT_EQ(strict("aten::cat", {"aten::cat", "aten::mm"}, false), kIsTheTask);
  // Another operator with the same effect.
  EXPECT_EQ(strict("aten::index", {"aten::embedding", "aten::mul"}, false), kIsTheTask);
  EXPECT_EQ(strict("aten::index", {"aten::clone"}, true), kIsTheTask);
  EXPECT_EQ(strict("aten::clone", {"aten::clone", "aten::mm"}, false), kAllowed);
  EXPECT_EQ(strict("aten::copy_", {"aten::cat"}, true), kIsTheTask);
  EXPECT_EQ(strict("aten::copy_", {"aten::cat"}, true, false), kAllowed);
  // These can add or select.
  EXPECT_EQ(strict("aten::index_put_", {"aten::sum"}, false), kComputes);
  EXPECT_EQ(strict("aten::where", {"aten::relu"}, false), kComputes);
  // The values of a tensor decide what these move: a table of results then computes any function.
  for (const char* name : {"aten::index", "aten::gather", "aten::index_select", "aten::embedding",
                           "aten::take", "aten::masked_select", "aten::index_copy_"}) {
    EXPECT_EQ(strict(name, {"aten::gelu"}, false), kComputes) << name;
  }
  // So do other arrangements: that of a task need not have the name of one.
  for (const char* name : {"aten::flip", "aten::tril", "aten::diag_embed", "aten::repeat",
                           "aten::slice_scatter", "aten::equal", "aten::_view_of_parts",
                           "aten::_made_result", "aten::_cast_of_rounded", "aten::_cast_of_view"}) {
    EXPECT_EQ(strict(name, {"aten::gelu"}, false), kComputes) << name;
  }
  EXPECT_EQ(strict("aten::constant_pad_nd", {"aten::conv2d"}, false), kAllowed);
  EXPECT_EQ(strict("aten::_device_copy", {"aten::gelu"}, false), kAllowed);
  EXPECT_EQ(strict("aten::_device_copy", {"aten::transpose"}, true), kIsTheTask);
  EXPECT_EQ(strict("aten::_enlarging_copy", {"aten::gelu"}, false), kAllowed);
  EXPECT_EQ(strict("aten::_enlarging_copy", {"aten::upsample_nearest2d", "aten::add"}, false),
            kIsTheTask);
  EXPECT_EQ(strict("aten::_cast_to_integers", {"aten::trunc"}, false), kComputes);
  EXPECT_EQ(strict("aten::_cast_to_integers", {"aten::_cast_to_integers"}, false), kAllowed);
  EXPECT_EQ(strict("my_library::fused", {"aten::sum"}, false), kAllowed);
  EXPECT_EQ(RuleOnOperator(OperatorRule::kPaper, "aten::cat", true, {{}, false}), kComputes);
}

TEST(VerdictReasons, BelongToAStatusOnce) {
  std::set<std::pair<VerdictStatus, std::string_view>> seen;
  for (const VerdictReason& reason : AllVerdictReasons()) {
    EXPECT_TRUE(seen.insert({reason.status, reason.name}).second) << reason.name;
    EXPECT_NE(StatusName(reason.status), "");
    EXPECT_NE(reason.explanation, "");
  }
}

}  // namespace
}  // namespace kernelmill
