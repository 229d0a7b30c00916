#include "generators/pytorch/pytorch_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "corpora/operators/operator_table.h"

namespace kernelmill {
namespace {

using testing::HasSubstr;

// The graph of mean(relu(conv(x)) + x).
struct Residual {
  OperatorGraph large, small;

  Residual() {
    const std::int16_t batch = large.AddSize({"batch_size", 64, 2});
    const std::int16_t channels = large.AddSize({"channels", 128, 8});
    const std::int16_t side = large.AddSize({"height", 56, 7});
    const std::int16_t width = large.AddSize({"width", 48, 6});
    const std::array variables{batch, channels, side, width};
    const ValueId x = large.AddInput(DType::kFloat32, variables, Range::Normal(1));
    const std::array convolution{
        Attribute::Size(128),  Attribute::Integer(3), Attribute::Integer(1), Attribute::Integer(1),
        Attribute::Integer(1), Attribute::Integer(1), Attribute::Flag(false)};
    const std::array bound{channels,    kNoVariable, kNoVariable, kNoVariable,
                           kNoVariable, kNoVariable, kNoVariable};
    const ValueId y = large.Apply(*FindOperator("conv2d"), std::span(&x, 1), convolution, bound);
    const ValueId z = large.Apply(*FindOperator("relu"), std::span(&y, 1), {});
    const std::array both{z, x};
    const Attribute alpha = Attribute::Integer(1);
    const ValueId sum = large.Apply(*FindOperator("add"), both, std::span(&alpha, 1));
    const std::array<std::int64_t, 2> dims{2, 3};
    const std::array over{Attribute::Integers(dims), Attribute::Flag(false)};
    const ValueId mean = large.Apply(*FindOperator("mean"), std::span(&sum, 1), over);
    large.SetOutputs(std::span(&mean, 1));
    EXPECT_TRUE(AtSmallSizes(large, &small));
  }
};

std::string Text(const Residual& graph, std::uint64_t seed, SourceSizes at) {
  std::string text;
  PyTorchSource().Append(graph.large, graph.small, {}, seed, at, &text);
  return text;
}

TEST(PyTorchSource, ReadsAsPeopleWrite) {
  const Residual graph;
  std::vector<std::string> texts;
  for (int seed = 0; seed < 40; ++seed) {
    const std::string text = Text(graph, seed, SourceSizes::kLarge);
    EXPECT_THAT(text, HasSubstr("class Model(nn.Module):"));
    EXPECT_THAT(text, HasSubstr("nn.Conv2d(channels, channels, "));
    EXPECT_THAT(text, HasSubstr("padding"));
    EXPECT_THAT(text, HasSubstr("bias=False"));
    EXPECT_THAT(text, HasSubstr("batch_size = 64\nchannels = 128\nheight = 56\nwidth = 48\n"));
    EXPECT_THAT(text, HasSubstr("torch.randn(batch_size, channels, height, width)"));
    EXPECT_THAT(text, HasSubstr("dim=(2, 3)"));
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
  }
  EXPECT_GT(texts.size(), 20u);  // One graph is written in many ways.
}

TEST(PyTorchSource, TheSizesDifferInNumbersOnly) {
  const Residual graph;
  for (int seed = 0; seed < 20; ++seed) {
    std::string large = Text(graph, seed, SourceSizes::kLarge);
    std::string small = Text(graph, seed, SourceSizes::kSmall);
    EXPECT_NE(large, small);
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    std::erase_if(large, is_digit);
    std::erase_if(small, is_digit);
    EXPECT_EQ(large, small);
  }
}

}  // namespace
}  // namespace kernelmill
