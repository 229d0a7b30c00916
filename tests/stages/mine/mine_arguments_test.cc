#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parsers/syntax_tree.h"
#include "stages/mine/arguments.h"

namespace kernelmill {
namespace {

using ::testing::HasSubstr;
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

TEST(MineArguments, AnObjectThatNothingTellsIsRefusedWithItsName) {
  const ArgumentGuess guess =
      GuessArguments(std::string(kImports) +
                         "class Model(nn.Module):\n    def __init__(self, mystery):\n"
                         "        super().__init__()\n        self.size = mystery.size.inner\n\n"
                         "    def forward(self, x):\n        return x\n",
                     {});
  EXPECT_THAT(guess.sets, IsEmpty());
  EXPECT_EQ(guess.detail, "constructor argument 'mystery'");
}

TEST(MineArguments, TorchsOwnConstructorAndForwardAreKnown) {
  const ArgumentSet set = Best(
      "class Model(nn.Sequential):\n    def __init__(self, in_chs=24, out_chs=32):\n"
      "        super().__init__()\n"
      "        self.add_module('c', nn.Conv2d(in_chs, out_chs, 1))\n"
      "        self.bn = nn.BatchNorm2d(out_chs)\n");
  ASSERT_THAT(set.inputs, SizeIs(1));
  ASSERT_THAT(set.inputs[0].spec.shape, SizeIs(4));
  EXPECT_EQ(set.inputs[0].spec.shape[1], 24);

  const ArgumentSet norm = Best(
      "class Model(nn.LayerNorm):\n    def forward(self, x):\n"
      "        return F.relu(super().forward(x))\n");
  ASSERT_THAT(norm.init, SizeIs(1));
  EXPECT_EQ(std::to_string(norm.inputs[0].spec.shape.back()), norm.init[0].expression);
}

TEST(MineArguments, ANumberThatIsTakenApartBecomesATuple) {
  const ArgumentSet set = Best(
      "class Model(nn.Module):\n    def __init__(self, depth, window_size):\n"
      "        super().__init__()\n        assert isinstance(depth, tuple)\n"
      "        h, w = window_size\n        self.bias = nn.Parameter(torch.zeros(h, w))\n"
      "        self.net = nn.Linear(24, 24)\n\n"
      "    def forward(self, x):\n        return self.net(x)\n");
  EXPECT_EQ(Expression(set, "depth"), "(2, 2)");
  EXPECT_EQ(Expression(set, "window_size"), "(8, 8)");
}

TEST(MineArguments, AssertsTellSizes) {
  const ArgumentSet set = Best(
      "class Model(nn.Module):\n    def __init__(self, dim, img_size=(96, 64)):\n"
      "        super().__init__()\n        self.img_size = img_size\n"
      "        self.proj = nn.Conv2d(3, dim, kernel_size=8, stride=8)\n\n"
      "    def forward(self, x):\n        B, C, H, W = x.shape\n"
      "        torch._assert(H == self.img_size[0], 'height')\n"
      "        if W != self.img_size[1]:\n            raise ValueError(W)\n"
      "        return self.proj(x)\n");
  ASSERT_THAT(set.inputs, SizeIs(1));
  ASSERT_THAT(set.inputs[0].spec.shape, SizeIs(4));
  EXPECT_EQ(set.inputs[0].spec.shape[1], 3);
  EXPECT_EQ(set.inputs[0].spec.shape[2], 96);
  EXPECT_EQ(set.inputs[0].spec.shape[3], 64);
}

TEST(MineArguments, AConfigurationOfTheSliceIsBuilt) {
  const ArgumentSet set = Best(
      "from dataclasses import dataclass\n\n\n"
      "@dataclass\nclass Config:\n    hidden_size: int = 144\n    eps: float = 1e-6\n\n\n"
      "class Model(nn.Module):\n    def __init__(self, config: Config):\n"
      "        super().__init__()\n"
      "        self.fc = nn.Linear(config.hidden_size, 10)\n\n"
      "    def forward(self, x):\n        return self.fc(x)\n");
  EXPECT_EQ(Expression(set, "config"), "Config()");
  EXPECT_EQ(set.inputs[0].spec.shape.back(), 144);
}

TEST(MineArguments, NamesThatContradictEachOtherAreReconciled) {
  const ArgumentSet set = Best(
      "class Model(nn.Module):\n    expansion = 4\n\n"
      "    def __init__(self, inplanes, planes):\n        super().__init__()\n"
      "        self.a = nn.Conv2d(inplanes, planes, 1)\n"
      "        self.b = nn.Conv2d(planes, planes * self.expansion, 1)\n\n"
      "    def forward(self, x):\n        return self.b(self.a(x)) + x\n");
  EXPECT_EQ(Expression(set, "inplanes"), "256");
  EXPECT_EQ(Expression(set, "planes"), "64");
}

TEST(MineArguments, WindowsDivideWhatIsLeftOfTheImage) {
  const ArgumentSet set = Best(
      "class Model(nn.Module):\n    def __init__(self, dim=32, window_size=7):\n"
      "        super().__init__()\n        self.window_size = window_size\n"
      "        self.stem = nn.Sequential(nn.Conv2d(3, dim, 3, stride=2, padding=1), "
      "nn.MaxPool2d(2))\n\n"
      "    def forward(self, x):\n        x = self.stem(x)\n"
      "        b, h, w, wsz = x.shape[0], *x.shape[-2:], self.window_size\n"
      "        assert (h % wsz) == 0 and (w % wsz) == 0\n        return x.sigmoid()\n");
  ASSERT_THAT(set.inputs, SizeIs(1));
  ASSERT_THAT(set.inputs[0].spec.shape, SizeIs(4));
  EXPECT_EQ(set.inputs[0].spec.shape[2] % 28, 0);
  EXPECT_EQ(set.inputs[0].spec.shape[3] % 28, 0);
}

TEST(MineArguments, ADefaultOfNoneThatIsCalledIsGiven) {
  const ArgumentSet set = Best(
      "class Model(nn.Module):\n    def __init__(self, chs=24, norm_layer=None):\n"
      "        super().__init__()\n        self.conv = nn.Conv2d(chs, chs, 1)\n"
      "        self.norm = norm_layer(chs)\n\n"
      "    def forward(self, x):\n        return self.norm(self.conv(x))\n");
  EXPECT_EQ(Expression(set, "norm_layer"), "torch.nn.BatchNorm2d");
  EXPECT_EQ(Expression(set, "chs"), "24");
}

TEST(MineArguments, RewritingForTheTaskPolicyKeepsTheMeaning) {
  const ArgumentGuess guess = GuessArguments(
      std::string(kImports) +
          "HAS = 'silu' in dir(torch.nn.functional)\n\n\n"
          "class Model(nn.Module):\n    def __init__(self, dim=8):\n        super().__init__()\n"
          "        self.__setattr__('fc', nn.Linear(dim, dim))\n\n"
          "    def forward(self, x):\n        return self.fc(x)\n",
      {});
  EXPECT_THAT(guess.code, HasSubstr("HAS = hasattr(torch.nn.functional, 'silu')\n"));
  EXPECT_THAT(guess.code, HasSubstr("setattr(self, 'fc', nn.Linear(dim, dim))\n"));
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
