#include "generators/lowering/reference_shell.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelmill {
namespace {

using testing::ElementsAre;

constexpr char kTask[] = R"(import torch
import torch.nn as nn
import torch.nn.functional as F
import math
from functools import partial

WIDTH = 4 * 8
UNUSED = 3


def scale_of(width):
    return math.sqrt(width)


def activate(x):
    return F.relu(x)


class Swish(nn.Module):
    def forward(self, x):
        return x * torch.sigmoid(x)


class Block(nn.Module):
    def __init__(self, width):
        super(Block, self).__init__()
        self.linear = nn.Linear(width, width)
        self.act = Swish()
        self._reset()

    # How the weights begin.
    def _reset(self):
        nn.init.xavier_uniform_(self.linear.weight)

    # Nothing but forward() uses this.
    def _apply_twice(self, x):
        return self.act(self.linear(self.linear(x)))

    def forward(self, x):
        return self._apply_twice(x)


class Model(nn.Module):
    """What it is."""

    def __init__(self, depth):
        super(Model, self).__init__()
        self.blocks = nn.ModuleList(Block(WIDTH) for _ in range(depth))
        self.scale = scale_of(WIDTH)

    def forward(self, x, y, mask=None):
        for block in self.blocks:
            x = block(x)
        return activate(x) + y * self.scale


def get_inputs():
    return [torch.randn(2, WIDTH), torch.randn(2, WIDTH)]


def get_init_inputs():
    return [2]
)";

TEST(ReferenceShell, KeepsWhatMakesParametersAndNothingThatComputes) {
  const std::optional<ReferenceShell> shell = ShellOf(kTask, 2);
  ASSERT_TRUE(shell);
  EXPECT_EQ(shell->imports, "import math\n");
  EXPECT_THAT(shell->forward_names, ElementsAre("x", "y"));
  EXPECT_EQ(shell->bases, "nn.Module");
  EXPECT_EQ(shell->definitions, R"(WIDTH = 4 * 8


def scale_of(width):
    return math.sqrt(width)


class Swish(nn.Module):
    pass


class Block(nn.Module):
    def __init__(self, width):
        super(Block, self).__init__()
        self.linear = nn.Linear(width, width)
        self.act = Swish()
        self._reset()

    # How the weights begin.
    def _reset(self):
        nn.init.xavier_uniform_(self.linear.weight)
)");
  EXPECT_EQ(shell->members, R"(    """What it is."""

    def __init__(self, depth):
        super(ModelNew, self).__init__()
        self.blocks = nn.ModuleList(Block(WIDTH) for _ in range(depth))
        self.scale = scale_of(WIDTH)
)");
}

TEST(ReferenceShell, NeedsAForwardWithSoManyArguments) {
  EXPECT_FALSE(ShellOf(kTask, 4));
  EXPECT_FALSE(ShellOf("class Other: pass\n", 0));
  EXPECT_FALSE(ShellOf("class Model:\n    def forward(self, x, *, y): pass\n", 2));
}

// Arguments that go to *args, or to the forward() of a torch module.
TEST(ReferenceShell, NamesArgumentsThatHaveNoName) {
  const auto arguments = [](const std::string& code, std::size_t count) {
    const std::optional<ReferenceShell> shell = ShellOf(code, count);
    return shell ? shell->forward_names : std::vector<std::string>();
  };
  EXPECT_THAT(arguments("class Model:\n    def forward(self, *inputs): pass\n", 1),
              ElementsAre("x"));
  EXPECT_THAT(arguments("class Model:\n    def forward(self, x1, *more): pass\n", 3),
              ElementsAre("x1", "x1_more", "x2"));
  EXPECT_THAT(arguments("class Model(nn.Sequential):\n    pass\n", 1), ElementsAre("x"));
}

TEST(ReferenceShell, LeavesOutWhatTorchsCompilerIsTold) {
  const std::optional<ReferenceShell> shell =
      ShellOf("class Model(nn.Module):\n    fast: torch.jit.Final[bool]\n    size: int\n\n"
              "    def forward(self, x):\n        return x\n",
              1);
  ASSERT_TRUE(shell);
  EXPECT_EQ(shell->members, "    size: int\n");
}

TEST(ReferenceShell, TakesAnyBytes) {
  const std::string text = kTask;
  int whole = 0;
  for (std::size_t cut = 0; cut < text.size(); cut += 7) {
    whole += ShellOf(text.substr(0, cut), 2).has_value();
    whole += ShellOf(text.substr(cut), 2).has_value();
  }
  EXPECT_GT(whole, 0);
}

}  // namespace
}  // namespace kernelmill
