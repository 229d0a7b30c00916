#include "stages/verify/build/asked_concepts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace kernelmill {
namespace {

constexpr char kText[] =
    "struct Larger { __device__ float operator()(float a, float b) const { return a; } };\n"
    "template <typename Op> concept Combines = requires(Op op) { op(1.0f, 2.0f); };\n"
    "template <Combines Op> void run(Op op) {}\n";
constexpr char kLog[] =
    "cuda.cu:3:11: note: because 'Larger' does not satisfy 'Combines'\n"
    "cuda.cu:2:60: note: because 'op(1.0f, 2.0f)' would be invalid\n";

TEST(AskedConcepts, AreAskedBehindBothDefinitionsAndBeforeTheirUse) {
  const std::string asked = WithConceptsAsked(kText, kLog);
  const std::size_t place = asked.find("static_assert(Combines<Larger>);");
  ASSERT_NE(place, asked.npos) << asked;
  EXPECT_GT(place, asked.find("op(1.0f, 2.0f); };"));
  EXPECT_LT(place, asked.find("void run"));
  EXPECT_EQ(std::ranges::count(asked, '\n'), 3);  // Lines of later messages are the text's.
  EXPECT_EQ(WithConceptsAsked(asked, kLog), asked);
}

TEST(AskedConcepts, WhatIsNotDefinedThereStaysAsItIs) {
  for (const char* const log :
       {"", "note: because 'Larger' does not satisfy 'Other'", "note: because 'Larger",
        "note: because 'ns::Larger' does not satisfy 'Combines'",
        "note: because 'Large' does not satisfy 'Combines'",
        "' does not satisfy 'note: because '"}) {
    EXPECT_EQ(WithConceptsAsked(kText, log), kText) << log;
  }
  EXPECT_EQ(WithConceptsAsked("struct Larger { concept Combines", kLog),
            "struct Larger { concept Combines");
}

}  // namespace
}  // namespace kernelmill
