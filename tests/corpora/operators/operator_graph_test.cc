#include "corpora/operators/operator_graph.h"

#include <gtest/gtest.h>

namespace kernelmill {
namespace {

// y = x W^T + b, as torch.nn.functional.linear computes it.
const OperatorRow& Linear() {
  static const OperatorRow row = [] {
    OperatorRow linear;
    linear.name = "linear";
    linear.family = OperatorFamily::kMatmul;
    linear.operands = {{"input"},
                       {"weight", OperandRow::Role::kParameter},
                       {"bias", OperandRow::Role::kParameter}};
    linear.attributes = {{"out_features", Attribute::Kind::kSize},
                         {"bias", Attribute::Kind::kFlag}};
    linear.infer = [](const OperatorUse& use, std::vector<TensorType>* results) {
      if (use.shape(0).Back(0) != use.shape(1)[1]) return false;
      results->push_back(use.operand(0));
      results->back().shape[use.shape(0).rank() - 1] = use.shape(1)[0];
      return true;
    };
    linear.parameters = [](const OperatorUse& use, std::vector<TensorType>* types) {
      types->push_back({DType::kFloat32, {use.integer(0), use.shape(0).Back(0)}});
      if (use.attribute(1).flag()) types->push_back({DType::kFloat32, {use.integer(0)}});
      return true;
    };
    linear.range = [](const OperatorUse&, std::span<const Range> ranges,
                      std::vector<Range>* results) {
      if (ranges[0].high > 1e6) return false;
      results->push_back({-10, 10, 1});
      return true;
    };
    linear.cost = [](const OperatorUse& use, std::span<const TensorType> results) {
      return OperatorCost{2 * results[0].shape.Elements() * use.shape(0).Back(0),
                          use.operand(0).Bytes() + results[0].Bytes()};
    };
    return linear;
  }();
  return row;
}

struct Layers {
  OperatorGraph graph;
  ValueId x, hidden, y;

  Layers() {
    const std::int16_t batch = graph.AddSize({"batch_size", 128, 2, true});
    const std::int16_t in = graph.AddSize({"in_features", 1024, 8});
    const std::int16_t width = graph.AddSize({"hidden_size", 4096, 12});
    const std::array<std::int16_t, 2> variables{batch, in};
    const std::array<std::int16_t, 2> bound{width, kNoVariable};
    x = graph.AddInput(DType::kFloat32, variables, {-7, 7, 1});
    const std::array first{Attribute::Size(4096), Attribute::Flag(true)};
    hidden = graph.Apply(Linear(), std::span(&x, 1), first, bound);
    const std::array second{Attribute::Size(10), Attribute::Flag(false)};
    y = graph.Apply(Linear(), std::span(&hidden, 1), second);
    graph.SetOutputs(std::span(&y, 1));
  }
};

TEST(OperatorGraph, ModulesMakeTheirOwnParameters) {
  const Layers layers;
  const OperatorGraph& graph = layers.graph;
  ASSERT_EQ(graph.nodes().size(), 2u);
  const auto first = graph.operands(graph.nodes()[0]);
  ASSERT_EQ(first.size(), 3u);
  EXPECT_EQ(graph.value(first[1]).type.shape, Shape({4096, 1024}));
  EXPECT_EQ(graph.value(first[1]).role, ValueRole::kParameter);
  EXPECT_EQ(graph.value(first[1]).node, 0);
  EXPECT_DOUBLE_EQ(graph.value(first[1]).range.high, 1.0 / 32);
  EXPECT_DOUBLE_EQ(graph.value(first[2]).range.high, 1.0 / 32);  // Drawn like the weight before it.
  EXPECT_EQ(graph.operands(graph.nodes()[1]).size(), 2u);        // No bias.
  EXPECT_EQ(graph.value(layers.y).type.shape, Shape({128, 10}));
  EXPECT_EQ(graph.Cost().flops, 2 * 128 * (1024 * 4096LL + 4096 * 10));
}

TEST(OperatorGraph, WhatIsRefusedLeavesNothingBehind) {
  Layers layers;
  const std::size_t values = layers.graph.values().size();
  const ValueId large =
      layers.graph.AddValue({DType::kFloat32, {3, 8}}, ValueRole::kInput, {0, 1e9, 1e9});
  const std::array attributes{Attribute::Size(5), Attribute::Flag(true)};
  EXPECT_EQ(layers.graph.Apply(Linear(), std::span(&large, 1), attributes), kAbsent);
  EXPECT_EQ(layers.graph.values().size(), values + 1);
  EXPECT_EQ(layers.graph.nodes().size(), 2u);
  // An unknown range must be accepted.
  const ValueId unknown =
      layers.graph.AddValue({DType::kFloat32, {3, 8}}, ValueRole::kInput, kAnyValue);
  EXPECT_NE(layers.graph.Apply(Linear(), std::span(&unknown, 1), attributes), kAbsent);
}

TEST(OperatorGraph, TheSameGraphIsThereAtSmallSizes) {
  const Layers layers;
  OperatorGraph small;
  ASSERT_TRUE(AtSmallSizes(layers.graph, &small));
  EXPECT_EQ(small.values().size(), layers.graph.values().size());
  EXPECT_EQ(small.value(layers.x).type.shape, Shape({2, 8}));
  EXPECT_EQ(small.value(layers.hidden).type.shape, Shape({2, 12}));
  EXPECT_EQ(small.value(layers.y).type.shape, Shape({2, 10}));
  EXPECT_EQ(small.operands(small.nodes()[1]).size(), 2u);
  EXPECT_TRUE(std::equal(small.outputs().begin(), small.outputs().end(),
                         layers.graph.outputs().begin(), layers.graph.outputs().end()));
  EXPECT_NE(CanonicalHash(small), CanonicalHash(layers.graph));
  EXPECT_EQ(small.sizes()[0].name, "batch_size");
}

}  // namespace
}  // namespace kernelmill
