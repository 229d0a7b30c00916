#include "stages/capture/captured_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/shared_suite.h"
#include "tests/stages/worker/worker_suite.h"

namespace kernelmill {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A task whose forward() has `body` and whose constructor runs `layers`.
std::string Task(const std::string& layers, const std::string& body, const std::string& inputs) {
  return "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
         "class Model(nn.Module):\n"
         "    def __init__(self):\n        super().__init__()\n        " +
         layers + "\n    def forward(self, x, y=None):\n" + body +
         "\ndef get_inputs():\n    return [" + inputs +
         "]\ndef get_init_inputs():\n    return []\n";
}

class CapturedGraphTest : public WorkerSuite<> {
 protected:
  static Json Reply(const std::string& code, bool training = false) {
    Result<Json> reply = worker_->Call(Json::Object{{"kind", "capture"},
                                                    {"code", code},
                                                    {"seed", 1},
                                                    {"training", training},
                                                    {"limits", WorkerLimits().ToJson()}});
    EXPECT_TRUE(reply.ok()) << reply.status().message();
    return reply.ok() ? *reply : Json();
  }
  static CapturedGraph Captured(const std::string& code) {
    Result<CapturedRun> run = CapturedRun::FromJson(Reply(code));
    EXPECT_TRUE(run.ok()) << run.status().message();
    return GraphOfRun(run.ok() ? *std::move(run) : CapturedRun());
  }
  // Includes the tensors that forward() creates, as operators.
  static CapturedGraph CapturedWhole(const std::string& code) {
    Result<CapturedRun> run = CapturedRun::FromJson(Reply(code));
    EXPECT_TRUE(run.ok()) << run.status().message();
    return GraphOfRun(run.ok() ? *std::move(run) : CapturedRun(), CreatedTensors::kAsOperators);
  }
  static std::vector<std::string> Names(const OperatorGraph& graph) {
    std::vector<std::string> names;
    for (const Node& node : graph.nodes()) names.emplace_back(node.op->name);
    return names;
  }
};

KM_SHARED_SUITE(CapturedGraphTest);

TEST_F(CapturedGraphTest, SeesWhatTheUserWrote) {
  const CapturedGraph capture = Captured(
      Task("self.conv = nn.Conv2d(3, 8, (1, 3), padding=(0, 1), groups=1)\n"
           "        self.norm = nn.LayerNorm(10)\n        self.drop = nn.Dropout(0.5)",
           "        h, w = x.shape[2:]\n        assert h == 8\n"
           "        x = self.drop(F.gelu(self.conv(x)))\n        return self.norm(x) + x\n",
           "torch.randn(2, 3, 8, 10)"));
  EXPECT_TRUE(capture.complete()) << capture.unfit << testing::PrintToString(capture.unknown);
  EXPECT_THAT(Names(capture.graph), ElementsAre("conv2d", "gelu", "layer_norm", "add"));
  ASSERT_EQ(capture.graph.outputs().size(), 1u);
  EXPECT_EQ(capture.graph.value(capture.graph.outputs()[0]).type,
            (TensorType{DType::kFloat32, {2, 8, 8, 10}}));
}

// torch's hooks do not report all arguments, or report more than matters.
TEST_F(CapturedGraphTest, SeesArgumentsThatTorchDoesNotTell) {
  const CapturedGraph capture =
      Captured(Task("self.attention = nn.MultiheadAttention(12, 3)",
                    "        x = torch.repeat_interleave(x, 2, dim=1).repeat_interleave(3, -1)\n"
                    "        return self.attention(x, x, x)\n",
                    "torch.randn(5, 2, 4)"));
  EXPECT_TRUE(capture.complete()) << capture.unfit << testing::PrintToString(capture.unknown);
  EXPECT_THAT(Names(capture.graph), ElementsAre("repeat_interleave", "repeat_interleave",
                                                "multi_head_attention_forward"));
  const Result<CapturedRun> run = CapturedRun::FromJson(
      Reply(Task("self.attention = nn.MultiheadAttention(12, 3, dropout=0.25)",
                 "        return self.attention(x, x, x)\n", "torch.randn(5, 2, 12)"),
            true));
  ASSERT_TRUE(run.ok()) << run.status().message();
  EXPECT_FALSE(GraphOfRun(*run).complete());
}

// One name in torch stands for several rows: with a tensor and with a number.
TEST_F(CapturedGraphTest, NumbersAreNoTensors) {
  const CapturedGraph capture = Captured(
      Task("pass", "        return torch.clamp(x + 1, min=0.0) * x - 2.5\n", "torch.randn(4, 5)"));
  EXPECT_TRUE(capture.complete()) << capture.unfit;
  EXPECT_EQ(capture.graph.nodes().size(), 4u);
}

TEST_F(CapturedGraphTest, LeavesOutWhatNoOutputNeeds) {
  const CapturedGraph capture = Captured(Task(
      "pass", "        z = torch.softmax(x, 1)\n        return x.relu()\n", "torch.randn(4, 5)"));
  EXPECT_THAT(Names(capture.graph), ElementsAre("relu"));
}

// Different spellings give the same graph.
TEST_F(CapturedGraphTest, SpellingsAreOneGraph) {
  const std::string inputs = "torch.randn(4, 6), torch.randn(4, 6)";
  const Digest hash =
      CanonicalHash(Captured(Task("pass", "        return F.relu(x) * y + x\n", inputs)).graph);
  for (const char* body : {"        return torch.add(torch.mul(y, x.relu()), x)\n",
                           "        r = torch.relu(x)\n        r *= y\n        return x + r\n",
                           "        z = nn.ReLU()(x)\n        return (z * y).add_(x)\n"}) {
    const CapturedGraph other = Captured(Task("pass", body, inputs));
    EXPECT_TRUE(other.complete()) << body << other.unfit;
    EXPECT_EQ(CanonicalHash(other.graph), hash) << body;
  }
  EXPECT_NE(
      CanonicalHash(Captured(Task("pass", "        return F.relu(y) * y + x\n", inputs)).graph),
      hash);
}

TEST_F(CapturedGraphTest, NamesWhatTheTableDoesNotHave) {
  const CapturedGraph capture = Captured(
      Task("pass", "        return torch.fft.fft(x).real + torch.relu(x)\n", "torch.randn(4, 8)"));
  EXPECT_FALSE(capture.complete());
  EXPECT_THAT(capture.unknown, testing::Contains(HasSubstr("fft")));
}

TEST_F(CapturedGraphTest, WritingIntoSharedMemoryIsNotAGraph) {
  const CapturedGraph capture =
      Captured(Task("pass", "        z = x.relu()\n        z[0].add_(1)\n        return z.relu()\n",
                    "torch.randn(4, 8)"));
  EXPECT_FALSE(capture.complete());
  // The other name is not read after the in-place operator.
  const CapturedGraph fine = Captured(Task(
      "pass",
      "        z = x.relu().view(8, 4)\n        z.add_(x.view(8, 4))\n        return z.relu()\n",
      "torch.randn(4, 8)"));
  EXPECT_TRUE(fine.complete() || !fine.unknown.empty()) << fine.unfit;
}

// Small constants, such as masks, are known to branches, because they do not depend on data.
TEST_F(CapturedGraphTest, SmallConstantsAreKnown) {
  const CapturedGraph capture =
      Captured(Task("pass",
                    "        mask = torch.ones(4, 4).tril()\n"
                    "        return x.relu() if bool((mask[0] > 0).all()) else x.tanh()\n",
                    "torch.randn(4, 8)"));
  EXPECT_THAT(Names(capture.graph), ElementsAre("tanh"));
}

// Fingerprints of benchmarks have such tensors as values.
TEST_F(CapturedGraphTest, TensorsOfNumbersAreValuesOrOperators) {
  const std::string code =
      Task("pass",
           "        x = x * torch.arange(8, device=x.device)\n"
           "        x = x + torch.full((4, 1), 2.0)\n"
           "        x = x * torch.eye(4, 8) + torch.linspace(0, 1, steps=8)\n"
           "        return x + x.new_zeros(8) + torch.tensor(0.5)\n",
           "torch.randn(4, 8)");
  const CapturedGraph values = Captured(code), operators = CapturedWhole(code);
  EXPECT_TRUE(values.complete() && operators.complete()) << values.unfit << operators.unfit;
  EXPECT_THAT(Names(values.graph), ElementsAre("mul", "add", "mul", "add", "add", "add"));
  EXPECT_THAT(Names(operators.graph),
              ElementsAre("arange", "mul", "full", "add", "eye", "mul", "linspace", "add",
                          "new_zeros", "add", "full", "add"));
}

TEST_F(CapturedGraphTest, SomeCallsAreSeveralRows) {
  const struct {
    const char* body;
    std::vector<std::string> names;
  } cases[] = {
      {"x[0, ..., 1:]", {"select", "slice"}},
      {"x[..., None, 2]", {"unsqueeze", "select"}},
      {"x[:, y]", {"reshape", "index_select", "reshape"}},
      {"torch.pow(2.0, x)", {"mul_scalar", "exp"}},
      {"10000 ** x", {"mul_scalar", "exp"}},
      {"x.transpose(0, 1).reshape_as(x)", {"transpose", "reshape"}},
      {"torch.meshgrid(x[0, 0], x[0, 1], indexing='xy')[0]",
       {"select", "select", "select", "select", "unsqueeze", "expand", "unsqueeze", "expand"}},
  };
  for (const auto& [body, names] : cases) {
    const CapturedGraph capture =
        Captured(Task("pass", std::string("        return ") + body + '\n',
                      "torch.randn(4, 5, 6), torch.randint(0, 5, (2, 3))"));
    EXPECT_TRUE(capture.complete()) << body << ": " << capture.unfit;
    EXPECT_EQ(Names(capture.graph), names) << body;
  }
}

// An argument that has another name in the table keeps its value.
TEST_F(CapturedGraphTest, VariancesKeepTheirCorrection) {
  const auto hash = [](const std::string& arguments) {
    const CapturedGraph capture = Captured(
        Task("pass", "        return x.var(dim=1, " + arguments + ")\n", "torch.randn(4, 5)"));
    EXPECT_TRUE(capture.complete()) << capture.unfit;
    return CanonicalHash(capture.graph);
  };
  EXPECT_EQ(hash("unbiased=False"), hash("correction=0"));
  EXPECT_EQ(hash("unbiased=True"), hash("keepdim=False"));
  EXPECT_NE(hash("unbiased=True"), hash("unbiased=False"));
}

TEST_F(CapturedGraphTest, BoundsKeepTheirSide) {
  const auto names = [](const std::string& arguments) {
    const CapturedGraph capture =
        Captured(Task("pass", "        return x.clamp(" + arguments + ")\n", "torch.randn(4, 5)"));
    EXPECT_TRUE(capture.complete()) << arguments << ": " << capture.unfit;
    return Names(capture.graph);
  };
  EXPECT_THAT(names("min=0.5"), ElementsAre("clamp_min"));
  EXPECT_THAT(names("0.5"), ElementsAre("clamp_min"));
  EXPECT_THAT(names("max=0.5"), ElementsAre("clamp_max"));
  EXPECT_THAT(names("None, 0.5"), ElementsAre("clamp_max"));
  EXPECT_THAT(names("-1, max=0.5"), ElementsAre("clamp"));
}

// number ** tensor must not become tensor ** number.
TEST_F(CapturedGraphTest, PowersKeepTheirOrder) {
  const CapturedGraph capture =
      Captured(Task("pass", "        return torch.pow(-2.0, x)\n", "torch.randn(4, 5)"));
  EXPECT_FALSE(capture.complete());
}

TEST_F(CapturedGraphTest, EquationsAreOneInAnyLetters) {
  const std::string inputs = "torch.randn(2, 3, 8, 16), torch.randn(2, 3, 8, 16)";
  const auto hash = [&](const std::string& call) {
    const CapturedGraph capture =
        Captured(Task("pass", "        return torch.einsum(" + call + ")\n", inputs));
    EXPECT_TRUE(capture.complete()) << call << ": " << capture.unfit;
    return CanonicalHash(capture.graph);
  };
  const Digest own = hash("'bhqd,bhkd->bhqk', x, y");
  EXPECT_EQ(hash("'b h i d, b h j d -> b h i j', x, y"), own);
  EXPECT_EQ(hash("'... i d, ... j d -> ... i j', x, y"), own);
  EXPECT_EQ(hash("'b h j d, b h i d -> b h i j', y, x"), own);
  EXPECT_NE(hash("'b h j d, b h i d -> b h i j', x.relu(), y"),
            hash("'b h i d, b h j d -> b h i j', x.relu(), y"));
}

TEST_F(CapturedGraphTest, NormsMayHaveAWeightAlone) {
  for (const char* body : {"F.group_norm(x, 2, y)", "F.batch_norm(x, None, None, y, None, True)",
                           "F.rms_norm(x, (6,), eps=1e-6)"}) {
    const CapturedGraph capture =
        Captured(Task("pass", std::string("        return ") + body + '\n',
                      "torch.randn(3, 4, 6), torch.randn(4)"));
    EXPECT_TRUE(capture.complete()) << body << ": " << capture.unfit;
    EXPECT_EQ(capture.graph.nodes().size(), 1u) << body;
  }
}

// Losses that check the values of their operands, and may reject them.
TEST_F(CapturedGraphTest, ChecksOfValuesAreNoObstacle) {
  const CapturedGraph capture =
      Captured(Task("pass", "        return F.gaussian_nll_loss(x, y, y.abs())\n",
                    "torch.randn(4, 5), torch.randn(4, 5)"));
  EXPECT_THAT(Names(capture.graph), ElementsAre("abs", "gaussian_nll_loss"));
}

TEST_F(CapturedGraphTest, WhatReadsValuesIsNotFollowed) {
  const Json reply = Reply(
      Task("pass", "        return x * 2 if x.sum().item() > 0 else x\n", "torch.randn(4, 8)"));
  EXPECT_EQ(reply.TextAt("end"), "not_followed");
}

// Layers with several parameters, states in tuples, and arguments given by name, by position and by
// default.
TEST_F(CapturedGraphTest, ReadsModulesOffTheirParameters) {
  const struct {
    const char* layer;
    const char* inputs;
    const char* name;
  } cases[] = {
      {"nn.LSTM(8, 16, 2, batch_first=True)", "torch.randn(4, 5, 8)", "lstm"},
      {"nn.GRU(8, 16, bidirectional=True, bias=False)", "torch.randn(4, 5, 8)", "gru"},
      {"nn.ConvTranspose2d(8, 12, (3, 5), stride=(2, 3), groups=4, bias=False)",
       "torch.randn(2, 8, 6, 7)", "conv_transpose2d"},
      {"nn.InstanceNorm2d(8)", "torch.randn(2, 8, 6, 7)", "instance_norm"},
      {"nn.Embedding(20, 8)", "torch.randint(0, 20, (4, 5))", "embedding"},
      {"nn.GroupNorm(2, 8)", "torch.randn(2, 8, 6)", "group_norm"},
  };
  for (const auto& [layer, inputs, name] : cases) {
    const CapturedGraph capture = Captured(Task(
        std::string("self.layer = ") + layer,
        "        z = self.layer(x)\n        return z[0] if type(z) is tuple else z\n", inputs));
    EXPECT_TRUE(capture.complete()) << layer << ": " << capture.unfit;
    EXPECT_THAT(Names(capture.graph), ElementsAre(name)) << layer;
  }
}

// Capture allocates nothing: these tensors would have 64 GB.
TEST_F(CapturedGraphTest, TakesAnySize) {
  const CapturedGraph capture =
      Captured(Task("pass", "        return torch.relu(x)\n", "torch.randn(1 << 14, 1 << 20)"));
  EXPECT_THAT(Names(capture.graph), ElementsAre("relu"));
}

TEST_F(CapturedGraphTest, ADeviceInTheCodeIsNoObstacle) {
  const CapturedGraph capture =
      Captured(Task("self.w = nn.Parameter(torch.randn(8, device='cuda'))",
                    "        return torch.relu(x.cuda() * self.w.to('cuda'))\n",
                    "torch.randn(4, 8, device='cuda')"));
  EXPECT_THAT(Names(capture.graph), ElementsAre("mul", "relu"));
}

TEST(CapturedRunTest, RefusesRepliesThatAreNone) {
  const Result<Json> good = Json::Parse(
      R"({"end":"captured","values":[{"shape":[2],"dtype":"float32","stride":[1],"memory":0,)"
      R"("role":"input",)"
      R"("name":""}],"calls":[],"outputs":[0],"arguments":1,"sites":[],"numbers":[]})");
  ASSERT_TRUE(good.ok());
  const Result<CapturedRun> run = CapturedRun::FromJson(*good);
  ASSERT_TRUE(run.ok()) << run.status().message();
  for (const char* change : {R"({"outputs":[1]})", R"({"outputs":[-1]})", R"({"calls":[{}]})",
                             R"({"values":[]})", R"({"calls":3})", R"({"numbers":[3]})", R"({"more":1})"}) {
    Json bad = *good;
    const Result<Json> members = Json::Parse(change);
    ASSERT_TRUE(members.ok());
    for (const auto& [key, value] : members->as_object()) bad[key] = value;
    EXPECT_EQ(CapturedRun::FromJson(bad).status().code(), ErrorCode::kWorker) << change;
  }
}

}  // namespace
}  // namespace kernelmill
