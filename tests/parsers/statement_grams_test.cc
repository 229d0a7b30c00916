#include "parsers/statement_grams.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace kernelmill {
namespace {

constexpr char kProgram[] = R"(import torch
import torch.nn as nn
import torch.nn.functional as F
from einops import rearrange


class Block(nn.Module):
    """A block."""

    def __init__(self, width: int, heads=8):
        super(Block, self).__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(width, eps=1e-5)
        self.out = nn.Linear(width, width)

    def split(self, x):
        return rearrange(x, "b n (h d) -> b h n d", h=self.heads)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scale = x.shape[-1] ** -0.5
        parts = [self.split(one) for one in x.chunk(3, dim=-1) if one is not None]
        if self.training and (scale > 0.1):
            raise ValueError("unexpected")
        for one in parts:
            scale += 1
        return self.out(F.gelu(self.norm(x)) * scale)


batch = 16


def get_inputs():
    return [torch.rand(batch, 64)]
)";

// The same program in other words.
constexpr char kDisguised[] = R"(from torch import nn, Tensor, rand
import torch.nn.functional
import einops
from einops import rearrange
rows = (16)
def get_inputs(): return [rand(rows, 64,)]
class Disguised(nn.Module):
    # Not a block.
    def forward(self, value):
        factor = value.shape[-1] ** -0.5; pieces = [self.cut(p) for p in value.chunk(3, dim=-1) if p is not None]
        if (self.training and scale_of(factor) > 0.1) if False else self.training and factor > 0.1: raise ValueError('unexpected')
        for p in pieces:
            factor += 1
        return self.last(
            torch.nn.functional.gelu(self.first(value)) * factor,
        )
    def cut(self, value):
        return einops.rearrange(value, 'b n (h d) -> b h n d', h=self.number)
    def __init__(self, size, number = 8):
        super().__init__()
        self.last = nn.Linear(size, size)
        self.first = nn.LayerNorm(size, eps=1e-5)
        self.number: int = number
)";

double SimilarityOfTexts(std::string_view one, std::string_view two) {
  const auto a = StatementGrams(one), b = StatementGrams(two);
  std::vector<std::uint64_t> shared;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(shared));
  return static_cast<double>(shared.size()) /
         static_cast<double>(a.size() + b.size() - shared.size());
}

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return at == text.npos ? text : text.replace(at, from.size(), to);
}

TEST(StatementGramsTest, DisguisedTextsStayTheSame) {
  const std::string plain =
      Replaced(kDisguised,
               "(self.training and scale_of(factor) > 0.1) if False else self.training and factor "
               "> 0.1",
               "self.training and factor > 0.1");
  EXPECT_EQ(StatementGrams(kProgram), StatementGrams(plain));
  EXPECT_LT(SimilarityOfTexts(kProgram, kDisguised), 1);
}

TEST(StatementGramsTest, WhatIsComputedMakesADifference) {
  for (const auto& [from, to] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"F.gelu", "F.relu"},
           {"LayerNorm", "RMSNorm"},
           {"eps=1e-5", "eps=1e-6"},
           {"dim=-1", "dim=0"},
           {"> 0.1", ">= 0.1"},
           {"batch = 16", "batch = 32"},
           {"\"b n (h d) -> b h n d\"", "\"b n (d h) -> b h n d\""},
           {"x.chunk", "x.split"}}) {
    const double similarity = SimilarityOfTexts(kProgram, Replaced(kProgram, from, to));
    EXPECT_LT(similarity, 1) << from;
    EXPECT_GT(similarity, 0.7) << from;
  }
}

TEST(StatementGramsTest, InputsAreNoPartOfTheModule) {
  const std::string program = Replaced(kProgram, "class Block", "class Model");
  const auto module = ModuleGrams(Replaced(program, "super(Block", "super(Model"));
  EXPECT_GT(module.size(), 30);
  for (const auto& [from, to] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"batch = 16", "batch = 32\nsizes = torch.arange(7) + batch"},
           {"[torch.rand(batch, 64)]", "[draw(one, torch.float16) * 2 for one in range(batch)]"},
           {"batch = 16", "def draw(x, y):\n    return torch.rand(x, dtype=y)\n\n\nbatch = 8"}}) {
    EXPECT_EQ(ModuleGrams(Replaced(program, from, to)), module) << from;
  }
  // What the module uses is a part of it, and a split into functions changes nothing.
  EXPECT_NE(ModuleGrams(Replaced(program, "heads=8", "heads=batch")), module);
  EXPECT_NE(ModuleGrams(Replaced(program, "F.gelu", "F.relu")), module);
  EXPECT_EQ(ModuleGrams(Replaced(Replaced(program, "x.shape[-1] ** -0.5", "scale_of(x)"),
                                 "class Model", "def scale_of(x):\n    return x.shape[-1] ** -0.5\n"
                                                "\n\nclass Model")),
            module);
  // Nothing tells what a class computes that only passes its inputs on.
  const std::string imports = "import torch\nfrom torch import nn\n";
  EXPECT_TRUE(ModuleGrams(imports + "class Model(nn.Module):\n    def __init__(self, *all):\n"
                          "        super().__init__()\n        self.inner = all\n\n"
                          "    def forward(self, *x):\n        y = self.inner(*x)\n"
                          "        return y\n")
                  .empty());
  EXPECT_EQ(ModuleGrams(imports + "class Model:\n    def forward(self, x):\n"
                                  "        return torch.relu(x)\n")
                .size(),
            1);
  EXPECT_TRUE(ModuleGrams("def run(x):\n    return torch.relu(x)\n").empty());
}

TEST(StatementGramsTest, AnyTextHasGrams) {
  EXPECT_TRUE(StatementGrams("").empty());
  EXPECT_TRUE(StatementGrams("# nothing\nimport os\n'''docs'''\n").empty());
  const std::string program = kProgram;
  for (std::size_t size = 0; size < program.size(); size += 7) {
    StatementGrams(program.substr(0, size));
    StatementGrams(program.substr(size));
    ModuleGrams(program.substr(0, size), "Block");
  }
  for (const char* text : {"def", "def f(", "class : x", "x = ", "for in :", "lambda", "import",
                           "from . import *", "(:=)", "def f(*, a, /, **k): pass", "a, (b, *c) = d",
                           "with a as (b, c): pass", "\xff\xfe=\x01", "match x:\n case [a, *b]: 1",
                           "x: int", "def f(x: int): ...", "super", "@a\ndef f(): pass"}) {
    EXPECT_EQ(StatementGrams(text), StatementGrams(text)) << text;
  }
}

// Tables of benchmarks hold the hashes, so they must never change.
TEST(StatementGramsTest, HashesStayTheSame) {
  EXPECT_EQ(StatementGrams("return torch.relu(x)"),
            (std::vector<std::uint64_t>{16147584906220632727u, 17434542304461807605u,
                                        18001764742770569700u}));
}

}  // namespace
}  // namespace kernelmill
