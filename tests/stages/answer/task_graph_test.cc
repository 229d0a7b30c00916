#include "stages/answer/task_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "generators/lowering/lower_graph.h"
#include "stages/verify/judge/cpu_judge.h"
#include "stages/verify/judge/judge.h"
#include "tests/shared_suite.h"
#include "tests/stages/worker/worker_suite.h"

namespace kernelmill {
namespace {

using testing::HasSubstr;
using testing::Not;
using namespace std::string_literals;

std::string Task(const std::string& classes, const std::string& inputs,
                 const std::string& arguments = "") {
  return "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n" + classes +
         "\n\ndef get_inputs():\n    return [" + inputs +
         "]\n\n\ndef get_init_inputs():\n    return [" + arguments + "]\n";
}

class TaskGraphTest : public WorkerSuite<> {
 protected:
  static void SetUpTestSuite() {
    WorkerSuite::SetUpTestSuite();
    Result<JudgeOptions> options = PrepareJudging({});
    ASSERT_TRUE(options.ok()) << options.status().message();
    Result<Judge> judge = Judge::Start(*std::move(options));
    ASSERT_TRUE(judge.ok()) << judge.status().message();
    judge_.emplace(std::move(judge).value());
  }
  static void TearDownTestSuite() {
    WorkerSuite::TearDownTestSuite();
    judge_.reset();
  }

  static TaskGraphReading Read(const std::string& code) {
    Result<TaskGraphReading> reading = ReadTaskGraph(code, worker_);
    EXPECT_TRUE(reading.ok()) << reading.status().message();
    return reading.ok() ? *std::move(reading) : TaskGraphReading();
  }
  // The answer's text. Fails the test unless it is correct at every size.
  static std::string Answer(const std::string& code) {
    const TaskGraphReading reading = Read(code);
    EXPECT_TRUE(reading.task) << reading.obstacle << '\n' << code;
    if (!reading.task) return "";
    const Lowering lowering = LowerGraph(reading.task->graph, reading.task->module, {});
    EXPECT_TRUE(lowering.answer) << lowering.obstacle << '\n' << code;
    if (!lowering.answer) return "";
    const Result<Verdict> verdict = judge_->Verify(code, lowering.answer->text);
    EXPECT_TRUE(verdict.ok()) << verdict.status().message();
    if (verdict.ok()) {
      EXPECT_EQ(StatusName(verdict->status), "correct")
          << verdict->reason << ' ' << verdict->detail << '\n'
          << lowering.answer->text;
    }
    return lowering.answer->text;
  }

  static std::optional<Judge> judge_;
};
std::optional<Judge> TaskGraphTest::judge_;

KM_SHARED_SUITE(TaskGraphTest);

TEST_F(TaskGraphTest, AnswersModulesInsideOfModules) {
  const std::string text = Answer(Task(R"(class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        return x + self.net(self.norm(x))


class Model(nn.Module):
    def __init__(self, width, depth):
        super(Model, self).__init__()
        self.blocks = nn.ModuleList([Block(width) for _ in range(depth)])

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x)",
                                       "torch.randn(3, 24)", "24, 2"));
  EXPECT_THAT(text, HasSubstr("self.blocks[1].net[0].weight"));
}

TEST_F(TaskGraphTest, ViewsFollowTheSizes) {
  Answer(Task(R"(class Model(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, dim * 3)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q, k, v = [t.view(b, n, self.heads, d // self.heads).transpose(1, 2) for t in (q, k, v)]
        attn = (q @ k.transpose(-2, -1) * (d // self.heads) ** -0.5).softmax(dim=-1)
        return (attn @ v).transpose(1, 2).reshape(b, n, d))",
              "torch.randn(2, 17, 64)", "64, 4"));
}

// The new dimension is one past the operand's last.
TEST_F(TaskGraphTest, ADimensionMayComeBehindTheLastOne) {
  Answer(Task(R"(class Model(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        return torch.unsqueeze(x, self.dim))",
              "torch.rand(64, 32)", "2"));
}

TEST_F(TaskGraphTest, TakesParametersAndBuffersFromWhereverTheyAre) {
  Answer(Task(R"(class Scale(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(width))
        self.register_buffer("shift", torch.arange(width).float())

    def forward(self, x):
        return self.apply_to(x)

    def apply_to(self, x):
        return x * self.gain + self.shift


class Model(Scale):
    def forward(self, x, y, alpha=2.0):
        return torch.relu(self.apply_to(x) - y) * alpha)",
              "torch.randn(5, 40), torch.randn(5, 40)", "40"));
}

// Created tensors (positions, masks) follow the sizes of the inputs.
TEST_F(TaskGraphTest, MakesTheTensorsThatForwardMakes) {
  const std::string text = Answer(Task(R"(class Model(nn.Module):
    def forward(self, x):
        b, n, d = x.shape
        y, z = torch.meshgrid(torch.arange(n), torch.arange(d, device=x.device), indexing="ij")
        omega = 1.0 / (100 ** (torch.arange(d, device=x.device) / d))
        mask = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        scores = (x @ x.transpose(1, 2)).masked_fill(mask, -torch.finfo(x.dtype).max)
        return scores.softmax(dim=-1) @ (x * omega + y - z) + torch.zeros_like(x) + torch.tensor(0.5))",
                                       "torch.randn(2, 9, 24)"));
  EXPECT_THAT(text, HasSubstr("arange"));
}

TEST_F(TaskGraphTest, TakesForwardFromTorchAndArgumentsInARow) {
  Answer(Task(R"(class Model(nn.Sequential):
    def __init__(self, width):
        super().__init__()
        self.add_module("first", nn.Linear(width, width))
        self.add_module("act", nn.ReLU()))",
              "torch.randn(5, 40)", "40"));
  Answer(Task(R"(class Model(nn.Module):
    def __init__(self, act):
        super().__init__()
        self.act = act()

    def forward(self, x, *more):
        return self.act(x) + more[0])",
              "torch.randn(5, 40), torch.randn(5, 40)", "nn.GELU"));
}

// Module.to() does not move such tensors to a device.
TEST_F(TaskGraphTest, TakesTensorsThatAreNoBuffers) {
  const std::string text = Answer(Task(R"(class Model(nn.Module):
    fast: torch.jit.Final[bool]

    def __init__(self, width, act):
        super().__init__()
        self.fast = True
        self.act = act
        self.table = torch.linspace(0, 1, width)

    def forward(self, x):
        return self.act(x + self.table.to(x.device, dtype=x.dtype)))",
                                       "torch.randn(5, 40)", "40, nn.LeakyReLU(0.2)"));
  EXPECT_THAT(text, HasSubstr("self.table.to(x.device)"));
}

TEST_F(TaskGraphTest, EquationsMayHaveAnyLetters) {
  Answer(Task(R"(class Model(nn.Module):
    def forward(self, q, k):
        s = torch.einsum("b h i d, b h j d -> b h i j", q, k).softmax(-1)
        return torch.einsum("...nm, ...me -> ...ne", s, k), torch.einsum("yw,zyw->z", q[0, 0], k[:, 0]))",
              "torch.randn(2, 3, 9, 16), torch.randn(2, 3, 9, 16)"));
}

// The size of a patch is not the size of any tensor, but an attribute of the module.
TEST_F(TaskGraphTest, AsksTheModuleForItsNumbers) {
  const std::string text = Answer(Task(R"(class Model(nn.Module):
    def __init__(self, patch, width):
        super().__init__()
        self.patch = patch
        self.linear = nn.Linear(3 * patch * patch, width)

    def forward(self, x):
        b, c, h, w = x.shape
        p = self.patch
        x = x.view(b, c, h // p, p, w // p, p).permute(0, 2, 4, 3, 5, 1)
        return self.linear(x.reshape(b, (h // p) * (w // p), c * p * p)))",
                                       "torch.randn(2, 3, 64, 48)", "16, 40"));
  EXPECT_THAT(text, HasSubstr("self.patch"));
}

// The width is tied to the head size, so only few sizes are possible, and the judge finds them. The
// batch may be tied to a number in the text, too.
TEST_F(TaskGraphTest, SizesThatGoTogetherAreSizes) {
  for (const std::string batch : {"2", "x.size(0)"}) {
    const std::string text = Answer(Task(R"(class Model(nn.Module):
    def __init__(self, width, head):
        super().__init__()
        self.head = head
        self.proj = nn.Linear(width, width)

    def forward(self, x):
        q = self.proj(x).view()" + batch + R"(, x.size(1), 2, self.head)
        return q.transpose(1, 2).relu()


batch, length, width, head = 2, 512, 1024, 512)",
                                         "torch.randn(batch, length, width)", "width, head"));
    EXPECT_THAT(text, HasSubstr(", self.head)"));
  }
}

// The second slice takes the rest of the channels, however many there are.
TEST_F(TaskGraphTest, SlicesMayTakeTheRest) {
  const std::string text = Answer(Task(R"(class Model(nn.Module):
    def __init__(self, half):
        super().__init__()
        self.half = half
        self.norm = nn.BatchNorm1d(half)

    def forward(self, x):
        x = torch.cat([torch.relu(x[:, :self.half]), x[:, self.half:]], dim=1)
        x1, x2 = torch.chunk(x, 2, 1)
        return torch.cat([self.norm(x1), x2], dim=1)


batch, channels, length, half = 3, 64, 50, 32)",
                                       "torch.randn(batch, channels, length)", "half"));
  EXPECT_THAT(text, HasSubstr("x[:, self."));
}

// In a graph of views only, the kernel copies the sliced elements.
TEST_F(TaskGraphTest, SlicesAreCutAsPythonCutsThem) {
  for (const std::string slice : {"x[:, 3:-2]", "x[:, -5:]", "x[:, self.cut:]", "x[:, -self.cut:]",
                                  "x[:, :self.cut + 60]", "x[1:2, :-self.cut:3]"}) {
    Answer(Task(
        "class Model(nn.Module):\n    def __init__(self, cut):\n        super().__init__()\n"
        "        self.cut = cut\n\n    def forward(self, x):\n        return " +
            slice + ".contiguous()\n\n\nbatch, width, cut = 4, 64, 12",
        "torch.randn(batch, width)", "cut"));
  }
}

// At the task's own sizes the slice covers the whole dimension.
TEST_F(TaskGraphTest, SlicesMayTakeAll) {
  Answer(Task(R"(class Model(nn.Module):
    def __init__(self, width, count):
        super().__init__()
        self.count = count
        self.linear = nn.Linear(width, count + count % 2)

    def forward(self, x):
        return self.linear(x)[:, :self.count].relu())",
              "torch.randn(5, 64)", "64, 128"));
}

TEST_F(TaskGraphTest, SpreadsWhatAnEquationSpreads) {
  Answer(Task(R"(class Model(nn.Module):
    def forward(self, x, y):
        y = y.clamp(min=0.5)
        return torch.einsum("g b n d, g e d -> b n g e", x, y), torch.einsum("bid,bjd->bij", y, x[0])
)",
              "torch.randn(4, 3, 9, 16), torch.randn(1, 20, 16)"));
}

TEST_F(TaskGraphTest, SaysWhatItCannotSay) {
  const auto obstacle = [](const std::string& forward, const std::string& inputs) {
    return Read(Task("class Model(nn.Module):\n    def forward(self, x):\n        " + forward,
                     inputs))
        .obstacle;
  };
  EXPECT_THAT(obstacle("return x + torch.tensor([1.0, 2.0, 4.0])", "torch.randn(2, 3)"),
              HasSubstr("a tensor that forward() makes"));
  EXPECT_THAT(obstacle("return x + torch.rand(3)", "torch.randn(2, 3)"),
              HasSubstr("torch.rand draws random numbers"));
  EXPECT_THAT(obstacle("return x[0] + x[1]", "[torch.randn(3), torch.randn(3)]"),
              HasSubstr("an input inside of another one"));
  EXPECT_THAT(obstacle("return x if x.sum() > 0 else -x", "torch.randn(3)"),
              HasSubstr("not_followed"));
  EXPECT_THAT(obstacle("return torch.fft.fft(x).real", "torch.randn(16)"), HasSubstr("fft"));
}

// Modules run in the mode in which they are constructed, as in the judge: dropout is active, and
// batch norm uses batch statistics.
TEST_F(TaskGraphTest, ModulesAreTrainedUnlessTheySayOtherwise) {
  const auto task = [](const std::string& layers, const std::string& result) {
    return Task("class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n" +
                    layers + "\n    def forward(self, x):\n        return " + result + "\n",
                "torch.randn(4, 3, 8)");
  };
  const auto reasons = [&](const std::string& layers, const std::string& result) {
    const std::string code = task(layers, result);
    const Result<Verdict> verdict = judge_->Verify(code, Task("class ModelNew(nn.Module):\n"
                                                              "    def forward(self, x):\n"
                                                              "        return x\n", ""));
    EXPECT_TRUE(verdict.ok()) << verdict.status().message();
    return std::pair(Read(code).obstacle, verdict.ok() ? verdict->reason : "");
  };
  const std::string dropout = "        self.a, self.b = nn.Linear(8, 16), nn.Linear(16, 4)\n"
                              "        self.drop = nn.Dropout(0.1)\n";
  EXPECT_EQ(reasons(dropout, "self.b(self.drop(self.a(x)))"),
            std::pair("torch.nn.functional.dropout draws random numbers"s, "random"s));
  EXPECT_EQ(reasons("        self.act = nn.RReLU()\n", "self.act(x)"),
            std::pair("torch.nn.functional.rrelu draws random numbers"s, "random"s));
  EXPECT_EQ(reasons("        self.rnn = nn.LSTM(8, 8, num_layers=2, dropout=0.2)\n",
                    "self.rnn(x)[0]"),
            std::pair("torch.lstm draws random numbers"s, "random"s));
  EXPECT_THAT(Answer(task(dropout + "        self.eval()\n", "self.b(self.drop(self.a(x)))")),
              Not(HasSubstr("drop(")));

  const std::string norm = "        self.norm = nn.BatchNorm1d(3)\n";
  const std::string own = Answer(task(norm, "torch.relu(self.norm(x))"));
  EXPECT_THAT(own, Not(HasSubstr("float* __restrict__ running_mean")));
  const std::string running =
      Answer(task(norm + "        self.eval()\n", "torch.relu(self.norm(x))"));
  EXPECT_THAT(running, HasSubstr("float* __restrict__ running_mean"));
}

}  // namespace
}  // namespace kernelmill
