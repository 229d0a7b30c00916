#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/stages/mine/mined_repository.h"

namespace kernelmill {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::map<std::string, MinedModule> Mine(const GitFixture& git) {
  return MineRepository(git).modules;
}

TEST(MineSlice, TakesWhatTheClassNeedsAndNothingElse) {
  const GitFixture git;
  git.Write(
      "net.py",
      "import os\nimport torch\nfrom torch import nn\n\nSCALE = 2.0\nOTHER = 3.0\n\n"
      "def twice(x):\n    return x * SCALE\n\n"
      "class Base(nn.Module):\n    def forward(self, x):\n        return twice(self.net(x))\n\n"
      "class Net(Base):\n    def __init__(self, *, dim = 64):\n        super(Net, "
      "self).__init__()\n"
      "        self.net = nn.Linear(dim, dim)\n");
  const auto modules = Mine(git);
  ASSERT_TRUE(modules.contains("Net"));
  const MinedModule& net = modules.at("Net");
  EXPECT_EQ(
      net.code,
      "import torch\nfrom torch import nn\n\n\nSCALE = 2.0\n\n\ndef twice(x):\n    return x * "
      "SCALE\n\n\n"
      "class Base(nn.Module):\n    def forward(self, x):\n        return twice(self.net(x))\n\n\n"
      "class Model(Base):\n    def __init__(self, dim = 64):\n        super(Model, "
      "self).__init__()\n"
      "        self.net = nn.Linear(dim, dim)\n");
  ASSERT_EQ(net.origins.size(), 1u);
  EXPECT_EQ(net.origins[0].url, "https://x.org/r");
  EXPECT_EQ(net.origins[0].path, "net.py");
  EXPECT_EQ(net.origins[0].first_line, 15);
  EXPECT_EQ(net.origins[0].last_line, 18);
}

TEST(MineSlice, CrossesFilesAndRenamesWhatCollides) {
  const GitFixture git;
  git.Write("pkg/__init__.py", "from .blocks import *\n");
  git.Write("pkg/blocks.py",
            "from torch import nn\nfrom .deep import layers as L\n\n"
            "def norm(x):\n    return x - x.mean()\n\n"
            "class Block(nn.Module):\n    def __init__(self, dim):\n        super().__init__()\n"
            "        self.inner = L.Norm(dim)\n\n    def forward(self, x):\n        return "
            "norm(self.inner(x))\n");
  git.Write("pkg/deep/__init__.py", "");
  git.Write("pkg/deep/layers.py",
            "import torch.nn as nn\n\ndef norm(x):\n    return x / x.std()\n\n"
            "class Norm(nn.Module):\n    def __init__(self, dim):\n        super().__init__()\n"
            "        self.proj = nn.Linear(dim, dim)\n\n    def forward(self, x):\n        return "
            "norm(self.proj(x))\n");
  git.Write("top.py",
            "import torch\nfrom pkg import Block as Base\n\n"
            "class Top(Base):\n    def forward(self, x):\n        return "
            "torch.relu(super().forward(x))\n");
  const auto modules = Mine(git);
  ASSERT_TRUE(modules.contains("Top"));
  const std::string& code = modules.at("Top").code;
  EXPECT_THAT(code, HasSubstr("class Model(Block):"));
  EXPECT_THAT(code, HasSubstr("self.inner = Norm(dim)"));
  EXPECT_THAT(code, HasSubstr("def norm(x):"));
  EXPECT_THAT(code, HasSubstr("def norm_2(x):"));
  EXPECT_THAT(code, Not(HasSubstr("pkg")));
  EXPECT_LT(code.find("class Norm("), code.find("class Model("));
}

TEST(MineSlice, RefusesWhatReachesOutside) {
  const GitFixture git;
  git.Write("bad.py",
            "import os\nimport torch\nfrom torch import nn\n\n"
            "class Shell(nn.Module):\n    def forward(self, x):\n        os.system('true')\n       "
            " return x\n\n"
            "class Eval(nn.Module):\n    def forward(self, x):\n        return eval('x')\n\n"
            "class Frames(nn.Module):\n    def forward(self, x):\n        return "
            "self.forward.__globals__\n\n"
            "class Loads(nn.Module):\n    def forward(self, x):\n        return torch.load('x')\n\n"
            "class Unbound(nn.Module):\n    def forward(self, x):\n        return missing(x)\n");
  EXPECT_TRUE(Mine(git).empty());
}

}  // namespace
}  // namespace kernelmill
