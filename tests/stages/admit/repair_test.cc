// Tests which arguments a repair changes for an error, and which it never changes.
#include "stages/admit/repair.h"

#include <gtest/gtest.h>

#include "stages/admit/argument_edits.h"
#include "stages/admit/mismatch.h"
#include "stages/admit/repair_search.h"

namespace kernelmill {
namespace {

using Shape = std::vector<std::int64_t>;

InputGuess Input(std::string name, Shape shape, Evidence evidence = Evidence::kName) {
  InputGuess guess;
  guess.spec = {std::move(name), "float32", shape, "randn", 0, 0};
  guess.rank = evidence;
  guess.sizes.assign(shape.size(), evidence);
  return guess;
}

WorkerReply Failure(std::string type, std::string message, std::string phase = "run") {
  WorkerReply reply;
  reply.end = "fault";
  reply.fault.emplace();
  reply.fault->phase = std::move(phase);
  reply.fault->type = std::move(type);
  reply.fault->message = std::move(message);
  return reply;
}

// The shapes of the first input over all proposals.
std::vector<Shape> FirstShapes(const ArgumentSet& arguments, const WorkerReply& reply) {
  std::vector<Shape> shapes;
  for (const ArgumentSet& changed : ProposeRepairs({}, arguments, reply)) {
    shapes.push_back(changed.inputs.front().spec.shape);
  }
  return shapes;
}

TEST(ProposeRepairs, MarksWhatItTouchesAndNothingElse) {
  const ArgumentSet before{{{"dim", "32", Evidence::kCallSite}},
                           {Input("x", {2, 16, 64}, Evidence::kUnpack)}};
  const auto proposals = ProposeRepairs(
      {}, before,
      Failure("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (32x64 and 32x96)"));
  ASSERT_FALSE(proposals.empty());
  EXPECT_EQ(proposals[0].inputs[0].spec.shape, (Shape{2, 16, 32}));
  EXPECT_EQ(proposals[0].inputs[0].sizes,
            (std::vector{Evidence::kUnpack, Evidence::kUnpack, Evidence::kRepair}));
  EXPECT_EQ(proposals[0].inputs[0].rank, Evidence::kUnpack);
  EXPECT_EQ(proposals[0].init, before.init);
}

TEST(ProposeRepairs, GivesUpTheWeakerOfTwoGuesses) {
  const ArgumentSet before{{{"dim", "32", Evidence::kName}},
                           {Input("x", {2, 16, 64}, Evidence::kCallSite)}};
  const auto proposals = ProposeRepairs(
      {}, before,
      Failure("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (32x64 and 32x96)"));
  ASSERT_FALSE(proposals.empty());
  EXPECT_EQ(proposals[0].init[0].expression, "64");
  EXPECT_EQ(proposals[0].inputs, before.inputs);
}

TEST(ProposeRepairs, NeverProposesTheSameTwiceOrNoChange) {
  const ArgumentSet before{{{"heads", "8", Evidence::kName}, {"dim", "60", Evidence::kName}},
                           {Input("x", {2, 60, 60}), Input("y", {2, 60, 60})}};
  WorkerReply reply = Failure("AssertionError", "dim must be divisible by heads", "build");
  reply.fault->compared = {{"%", 60, 8}, {"==", 4, 0}};
  const auto proposals = ProposeRepairs({}, before, reply);
  std::set<std::string> seen = {before.ToJson().Dump()};
  for (const ArgumentSet& changed : proposals) {
    EXPECT_TRUE(seen.insert(changed.ToJson().Dump()).second) << changed.ToJson().Dump();
  }
  EXPECT_GE(proposals.size(), 2u);
}

TEST(ProposeRepairs, PutsCubesLast) {
  const ArgumentSet before{{}, {Input("x", {2, 16, 2})}};
  WorkerReply reply = Failure("AssertionError", "");
  reply.fault->compared = {{"==", 16, 2}};
  const std::vector<Shape> shapes = FirstShapes(before, reply);
  ASSERT_GE(shapes.size(), 2u);
  bool cubes = false;
  for (const Shape& shape : shapes) {
    const bool cube = shape[0] == shape[1] && shape[1] == shape[2];
    EXPECT_TRUE(cube || !cubes) << "a cube stands before another proposal";
    cubes = cubes || cube;
  }
}

// A task can raise any message: repairs stay within bounds for all of them.
TEST(ProposeRepairs, StaysWithinBoundsForHostileMessages) {
  const ArgumentSet before{{{"dim", "64", Evidence::kName}}, {Input("x", {2, 16, 64})}};
  for (const char* message :
       {"mat1 and mat2 shapes cannot be multiplied (32x64 and 999999999999x96)",
        "mat1 and mat2 shapes cannot be multiplied (32x64 and 99999999999999999999x96)",
        "The size of tensor a (64) must match the size of tensor b (0)", "D (batched)",
        "(batched) input to conv", "D input (got ", "xpect got", "in range of [",
        "not enough values to unpack (expected 4000000000, got 3)",
        "shape '[999999999999, 999999999999, 999999999999]' is invalid for input of size 64",
        "can't divide axis of length 64 in chunks of 0", "expected 64, got 0",
        "too many indices for tensor of dimension 900000000000",
        "Model.__init__() missing 1 required positional argument: '__import__(\"os\")'",
        "Model.forward() missing 1 required positional argument: 'a'); import os #'",
        "Model.forward() takes 0 positional arguments but 3 were given"}) {
    for (const char* type : {"RuntimeError", "AssertionError", "IndexError", "TypeError"}) {
      WorkerReply reply = Failure(type, message);
      const std::int64_t huge = (std::int64_t{1} << 62) - 1;
      reply.fault->compared = {{"==", huge, 64}, {"%", huge, huge - 1}, {"%", 64, 0}};
      reply.fault->layer = FaultLayer{"Linear", {{"in_features", {huge}}}, "((((", Shape{huge, 64}};
      reply.fault->names = {{"dim", Shape{huge}}, {"x", std::nullopt}};
      reply.fault->operators_run = huge;
      for (const ArgumentSet& changed : ProposeRepairs({}, before, reply)) {
        for (const InputGuess& input : changed.inputs) {
          EXPECT_EQ(input.spec.name, "x");
          EXPECT_EQ(input.sizes.size(), input.spec.shape.size());
          EXPECT_LE(input.spec.shape.size(), 6u);
          std::int64_t elements = 1;
          for (std::int64_t size : input.spec.shape) {
            ASSERT_GE(size, 1) << message;
            ASSERT_LE(size, 1 << 16) << message;
            elements *= size;
          }
          EXPECT_LE(elements, 1 << 24);
        }
        for (const InitArgument& argument : changed.init) {
          EXPECT_EQ(argument.expression.find_first_not_of("0123456789(), "), std::string::npos)
              << argument.expression;
        }
      }
    }
  }
}

TEST(PatternRank, CountsAxesAndGroups) {
  EXPECT_EQ(PatternRank("b c (h p1) (w p2) -> b (h w) (p1 p2 c)"), 4u);
  EXPECT_EQ(PatternRank("b n d -> b d n"), 3u);
  EXPECT_EQ(PatternRank("() n d -> b n d"), 3u);
  EXPECT_EQ(PatternRank("b ... d -> b d"), std::nullopt);
  EXPECT_EQ(PatternRank("no arrow"), std::nullopt);
}

MinedModule Module() {
  MinedModule module;
  module.name = "M";
  module.code = "class Model(nn.Module):\n    def forward(self, x):\n        return x\n";
  module.arguments = {{{}, {Input("x", {2, 16, 64})}}, {{}, {Input("x", {2, 3, 32, 40})}}};
  return module;
}

TEST(RepairSearch, TriesWhatWasMinedFirstAndThenAtMostTheBound) {
  const MinedModule module = Module();
  RepairSearch search(module, 5);
  std::set<std::string> tried;
  int mined = 0, repaired = 0;
  while (const auto arguments = search.Next()) {
    EXPECT_TRUE(tried.insert(arguments->ToJson().Dump()).second);
    EXPECT_EQ(search.repairing(), mined == 2);
    search.repairing() ? ++repaired : ++mined;
    // The error has other numbers each time, so that there is always something to change.
    const std::int64_t last = arguments->inputs[0].spec.shape.back();
    search.Failed(*arguments,
                  Failure("RuntimeError", "The size of tensor a (" + std::to_string(last) +
                                              ") must match the size of tensor b (" +
                                              std::to_string(last + 1) + ")"),
                  3);
  }
  EXPECT_EQ(mined, 2);
  EXPECT_EQ(repaired, 5);
}

TEST(RepairSearch, GoesOnFromWhatCameFurthest) {
  const MinedModule module = Module();
  RepairSearch search(module, 1);
  const auto first = search.Next(), second = search.Next();
  WorkerReply far =
      Failure("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (4x40 and 7x2)");
  far.fault->operators_run = 9;
  search.Failed(*first,
                Failure("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (4x64 and 7x2)"),
                3);
  search.Failed(*second, far, 3);
  const auto repaired = search.Next();
  ASSERT_TRUE(repaired);
  EXPECT_EQ(repaired->inputs[0].spec.shape, (Shape{2, 3, 32, 7}));
}

TEST(RepairSearch, HasNothingForAnErrorThatSaysNothing) {
  const MinedModule module = Module();
  RepairSearch search(module, 5);
  while (const auto arguments = search.Next()) {
    EXPECT_FALSE(search.repairing());
    search.Failed(*arguments, Failure("RuntimeError", "no"), 3);
  }
}

}  // namespace
}  // namespace kernelmill
