#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parsers/syntax_tree.h"
#include "stages/mine/arguments.h"

namespace kernelmill {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

using Shape = std::vector<std::int64_t>;

constexpr char kImports[] =
    "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
    "from einops import rearrange\nfrom einops.layers.torch import Rearrange\n\n\n";

// The best guess for a module whose class Model has this body.
ArgumentSet Best(const std::string& text, const std::vector<PythonCall>& calls = {}) {
  const ArgumentGuess guess = GuessArguments(kImports + text, calls);
  EXPECT_THAT(guess.sets, Not(IsEmpty())) << guess.detail;
  return guess.sets.empty() ? ArgumentSet() : guess.sets[0];
}

std::string Expression(const ArgumentSet& set, const std::string& name) {
  for (const InitArgument& argument : set.init) {
    if (argument.name == name) return argument.expression;
  }
  return "";
}

TEST(MineArguments, ALayerTellsRankAndChannels) {
  const ArgumentSet set = Best(
      "class Model(nn.Module):\n"
      "    def __init__(self, in_channels=24, out_channels=48):\n"
      "        super().__init__()\n"
      "        self.conv = nn.Conv2d(in_channels, out_channels, 3, padding=1)\n\n"
      "    def forward(self, x):\n        return self.conv(F.relu(x))\n");
  ASSERT_THAT(set.inputs, SizeIs(1));
  ASSERT_THAT(set.inputs[0].spec.shape, SizeIs(4));
  EXPECT_EQ(set.inputs[0].spec.shape[1], 24);
  EXPECT_EQ(set.inputs[0].rank, Evidence::kLayer);
  EXPECT_EQ(set.inputs[0].sizes[1], Evidence::kLayer);
}

TEST(MineArguments, LayersAreFollowedThroughClassesOfTheSlice) {
  const ArgumentSet set = Best(
      "class Block(nn.Module):\n    def __init__(self, width):\n        super().__init__()\n"
      "        self.net = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width * 4))\n\n"
      "    def forward(self, x):\n        return self.net(x)\n\n\n"
      "class Model(nn.Module):\n    def __init__(self, heads=6, dim_head=16):\n"
      "        super().__init__()\n        inner = heads * dim_head\n"
      "        self.layers = nn.ModuleList([Block(inner) for _ in range(2)])\n\n"
      "    def forward(self, tokens):\n        b, n, d = tokens.shape\n"
      "        for layer in self.layers:\n            return layer(tokens)\n");
  ASSERT_THAT(set.inputs, SizeIs(1));
  ASSERT_THAT(set.inputs[0].spec.shape, SizeIs(3));
  EXPECT_EQ(set.inputs[0].spec.shape[2], 96);
  EXPECT_EQ(set.inputs[0].rank, Evidence::kUnpack);
}

TEST(MineArguments, PatchesDivideTheImage) {
  const ArgumentSet set = Best(
      "class Model(nn.Module):\n    def __init__(self, dim, patch_size=14, channels=3):\n"
      "        super().__init__()\n"
      "        self.embed = nn.Sequential(\n"
      "            Rearrange('b c (h p1) (w p2) -> b (h w) (p1 p2 c)', p1=patch_size, "
      "p2=patch_size),\n"
      "            nn.Linear(channels * patch_size ** 2, dim))\n\n"
      "    def forward(self, img):\n        return self.embed(img)\n");
  ASSERT_THAT(set.inputs, SizeIs(1));
  const Shape& shape = set.inputs[0].spec.shape;
  ASSERT_THAT(shape, SizeIs(4));
  EXPECT_EQ(shape[1], 3);
  EXPECT_EQ(shape[2] % 14, 0);
  EXPECT_EQ(shape[3] % 14, 0);
}

TEST(MineArguments, AnEmbeddingReadsIndicesOfItsTable) {
  const ArgumentSet set = Best(
      "class Model(nn.Module):\n    def __init__(self, num_tokens=777, dim=32):\n"
      "        super().__init__()\n        self.emb = nn.Embedding(num_tokens, dim)\n\n"
      "    def forward(self, x):\n        return self.emb(x)\n");
  ASSERT_THAT(set.inputs, SizeIs(1));
  EXPECT_EQ(set.inputs[0].spec.dtype, "int64");
  EXPECT_EQ(set.inputs[0].spec.high, 777);
}

TEST(MineArguments, InputsThatAreAddedAgreeInShape) {
  const ArgumentSet set = Best(
      "class Model(nn.Module):\n    def __init__(self, dim=80):\n        super().__init__()\n"
      "        self.a = nn.Linear(dim, 40)\n        self.b = nn.Linear(56, 40)\n\n"
      "    def forward(self, x, context):\n        b, n, d = x.shape\n"
      "        q = self.a(x)\n        k = self.b(context)\n"
      "        return torch.einsum('b i d, b j d -> b i j', q, k)\n");
  ASSERT_THAT(set.inputs, SizeIs(2));
  ASSERT_THAT(set.inputs[0].spec.shape, SizeIs(3));
  ASSERT_THAT(set.inputs[1].spec.shape, SizeIs(3));
  EXPECT_EQ(set.inputs[0].spec.shape[0], set.inputs[1].spec.shape[0]);
  EXPECT_EQ(set.inputs[0].spec.shape[2], 80);
  EXPECT_EQ(set.inputs[1].spec.shape[2], 56);
}

TEST(MineArguments, TheRepositorysOwnConstructionComesFirst) {
  PythonCall call;
  call.callee = "Net";
  call.arguments = {{"width", "320"}};
  const ArgumentSet set = Best(
      "class Model(nn.Module):\n    def __init__(self, width, bias=True):\n"
      "        super().__init__()\n        self.fc = nn.Linear(width, width, bias)\n\n"
      "    def forward(self, x):\n        return self.fc(x)\n",
      {call});
  EXPECT_EQ(Expression(set, "width"), "320");
  EXPECT_EQ(set.init[0].evidence, Evidence::kCallSite);
  EXPECT_EQ(set.inputs[0].spec.shape.back(), 320);
}

TEST(MineArguments, AModuleAsArgumentIsFoundFromItsUse) {
  const ArgumentSet set = Best(
      "class Model(nn.Module):\n    def __init__(self, fn, dim=48):\n"
      "        super().__init__()\n        self.norm = nn.LayerNorm(dim)\n        self.fn = fn\n\n"
      "    def forward(self, x):\n        return self.fn(self.norm(x)) + x\n");
  EXPECT_EQ(Expression(set, "fn"), "torch.nn.Linear(48, 48)");
}

TEST(MineArguments, AChainOfUnknownsIsRefusedWithItsName) {
  const ArgumentGuess guess =
      GuessArguments(std::string(kImports) +
                         "class Model(nn.Module):\n    def __init__(self, mystery):\n"
                         "        super().__init__()\n        self.mystery = mystery\n\n"
                         "    def forward(self, x):\n        return x\n",
                     {});
  EXPECT_THAT(guess.sets, IsEmpty());
  EXPECT_EQ(guess.detail, "constructor argument 'mystery'");
}

TEST(MineArguments, EndlessCodeEnds) {
  const ArgumentSet set = Best(
      "def f(x):\n    return f(f(x))\n\n\n"
      "class Model(nn.Module):\n    def __init__(self, depth=1000000):\n"
      "        super().__init__()\n"
      "        self.layers = [nn.Linear(8, 8) for _ in range(depth) for _ in range(depth)]\n"
      "        while True:\n            f(depth)\n\n"
      "    def forward(self, x):\n        return self.forward(f(x))\n");
  EXPECT_THAT(set.inputs, SizeIs(1));
}

}  // namespace
}  // namespace kernelmill
