// Tests of symbolic shapes: the worker's reply, the text that is written from it, and that replies
// which contradict the measured shapes are not believed.
#include <gtest/gtest.h>

#include <regex>

#include "generators/shapes/shape_reasoning.h"
#include "stages/admit/symbolic_reply.h"
#include "tests/shared_suite.h"
#include "tests/stages/worker/worker_suite.h"

namespace kernelmill {
namespace {

Task TaskOf(const std::string& body, std::vector<InputSpec> inputs) {
  Task task;
  task.code =
      "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n\n"
      "class Model(nn.Module):\n" +
      body + "\n\ndef get_inputs():\n    return [";
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    task.code += (i > 0 ? ", " : "") + inputs[i].Expression();
  }
  task.code += "]\n\n\ndef get_init_inputs():\n    return []\n";
  task.inputs = std::move(inputs);
  return task;
}

InputSpec Randn(std::string name, std::vector<std::int64_t> shape) {
  return {std::move(name), "float32", std::move(shape), "randn", 0, 0};
}

class Symbolic : public WorkerSuite<> {
 protected:
  static Json Ask(const char* kind, const Task& task, const WorkerLimits& limits = {}) {
    return WorkerSuite::Ask(kind, task.code, limits);
  }
  static Annotation Measured(const Task& task) {
    const Json reply = Ask("admit", task);
    EXPECT_EQ(reply.Find("end")->as_string(), "ran") << reply.Dump();
    Json json = *reply.Find("annotation");
    json["v"] = 1;
    json["task"] = DigestOf("task").Hex();
    const Result<Annotation> annotation = Annotation::FromJson(json);
    EXPECT_TRUE(annotation.ok()) << annotation.status().message();
    return *annotation;
  }

};

Task Downsampling() {
  return TaskOf(
      "    def __init__(self):\n        super().__init__()\n"
      "        self.conv = nn.Conv2d(3, 8, 3, stride=2, padding=1)\n\n"
      "    def forward(self, x):\n        b, c, h, w = x.shape\n        assert h % 4 == 0\n"
      "        y = self.conv(x)\n        return y.flatten(2).transpose(1, 2).softmax(-1)\n",
      {Randn("x", {2, 3, 32, 40})});
}

KM_SHARED_SUITE(Symbolic);

TEST_F(Symbolic, FollowsTheModuleAndAgreesWithWhatWasMeasured) {
  const Task task = Downsampling();
  const Annotation measured = Measured(task);
  const Result<SymbolicVerdict> verdict = JudgeSymbolicReply(Ask("symbolic", task), task, measured);
  ASSERT_TRUE(verdict.ok()) << verdict.status().message();
  EXPECT_EQ(verdict->disagreement, "");
  const SymbolicShapes& shapes = verdict->shapes;
  ASSERT_TRUE(shapes.followed()) << shapes.state;
  EXPECT_EQ(shapes.inputs, (std::vector<SymbolicShape>{{"s0", "3", "s1", "s2"}}));
  EXPECT_EQ(shapes.constraints, (std::vector<std::string>{"s1 % 4"}));
  ASSERT_EQ(shapes.outputs.size(), 1u);
  EXPECT_EQ(shapes.outputs[0][0], "s0");
  EXPECT_EQ(shapes.outputs[0][2], "8");
  // For all sizes, not only the task's own.
  for (const auto& [h, w] : {std::pair{4, 5}, {32, 40}, {100, 7}}) {
    const Result<std::int64_t> tokens =
        EvaluateSize(shapes.outputs[0][1], {{"s0", 9}, {"s1", h}, {"s2", w}});
    ASSERT_TRUE(tokens.ok()) << shapes.outputs[0][1];
    EXPECT_EQ(*tokens, ((h - 1) / 2 + 1) * ((w - 1) / 2 + 1));
  }
}

TEST_F(Symbolic, GivesTheSameBytesForTheSameRequest) {
  EXPECT_EQ(Ask("symbolic", Downsampling()).Dump(), Ask("symbolic", Downsampling()).Dump());
}

TEST_F(Symbolic, SaysWhichInputsMustAgree) {
  const Task task = TaskOf("    def forward(self, q, k):\n        return q @ k.transpose(1, 2)\n",
                           {Randn("q", {2, 10, 16}), Randn("k", {2, 12, 16})});
  const Result<SymbolicVerdict> verdict =
      JudgeSymbolicReply(Ask("symbolic", task), task, Measured(task));
  ASSERT_TRUE(verdict.ok() && verdict->shapes.followed());
  EXPECT_EQ(verdict->shapes.inputs,
            (std::vector<SymbolicShape>{{"s0", "s1", "s2"}, {"s0", "s3", "s2"}}));
  EXPECT_EQ(verdict->shapes.outputs, (std::vector<SymbolicShape>{{"s0", "s1", "s3"}}));
}

TEST_F(Symbolic, SurvivesItsOwnEncoding) {
  const Task task = Downsampling();
  Annotation annotation = Measured(task);
  annotation.symbolic = JudgeSymbolicReply(Ask("symbolic", task), task, annotation).value().shapes;
  const Result<Annotation> read = Annotation::FromJson(annotation.ToJson());
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->ToJson().Dump(), annotation.ToJson().Dump());
  EXPECT_TRUE(read->symbolic.followed());
}

TEST_F(Symbolic, IsWrittenIntoTheReasoning) {
  const Task task = Downsampling();
  Annotation annotation = Measured(task);
  annotation.symbolic = JudgeSymbolicReply(Ask("symbolic", task), task, annotation).value().shapes;
  // Each fact appears in some wording, whatever the seed.
  const std::string x = ", | ?× ?";
  for (int seed = 0; seed < 20; ++seed) {
    const auto record = WriteShapeReasoning(DigestOf("task"), task, annotation, seed);
    ASSERT_TRUE(record);
    const std::string& answer = record->messages[1].content;
    for (const std::string& fact :
         {std::string("B[ a-z=:`]*2\\b"), std::string("H[ a-z=:`]*32\\b"),
          "B(" + x + ")3(" + x + ")H(" + x + ")W", std::string("H[^.\n]*\\b4\\b"),
          "2(" + x + ")8(" + x + ")16(" + x + ")20", "B(" + x + ")8(" + x + ")"}) {
      EXPECT_TRUE(std::regex_search(answer, std::regex(fact))) << fact << " is not in\n" << answer;
    }
  }
  annotation.symbolic = {};
  const auto plain = WriteShapeReasoning(DigestOf("task"), task, annotation, 7);
  ASSERT_TRUE(plain);
  EXPECT_FALSE(std::regex_search(plain->messages[1].content, std::regex("\\bB\\b")));
}

// Forged replies: each differs from the honest one in one place.
TEST_F(Symbolic, BelievesNoReplyThatDoesNotBecomeTheMeasuredShapes) {
  const Task task = Downsampling();
  const Annotation measured = Measured(task);
  const Json honest = Ask("symbolic", task);
  const std::string text = honest.Dump();
  ASSERT_TRUE(JudgeSymbolicReply(honest, task, measured)->shapes.followed());
  const std::pair<const char*, const char*> kLies[] = {
      {R"("s0","3","s1","s2")", R"("s0","s0","s1","s2")"},
      {R"("s0","3","s1","s2")", R"("s0","3","s2","s1")"},
      {R"("value":32)", R"("value":31)"},
      {R"("name":"s1","value")", R"("name":"s7","value")"},
      {R"("s1 % 4")", R"("s1 % 5")"},
      {R"("s1 % 4")", R"("s1 %")"},
      {R"("outputs":[["s0","8")", R"("outputs":[["s0","9")"},
      {R"("shape":["s0",)", R"("shape":["s0 + 1",)"},
      {R"("shape":["s0",)", R"("shape":["(s0",)"},
      {R"("shape":["s0",)", R"("shape":["s0","1",)"}};
  for (const auto& [truth, lie] : kLies) {
    std::string forged = text;
    const std::size_t at = forged.find(truth);
    ASSERT_NE(at, std::string::npos) << truth << " is not in " << text;
    forged.replace(at, std::string_view(truth).size(), lie);
    const Result<SymbolicVerdict> verdict =
        JudgeSymbolicReply(*Json::Parse(forged), task, measured);
    if (!verdict.ok()) continue;
    EXPECT_FALSE(verdict->shapes.followed()) << lie;
    EXPECT_NE(verdict->disagreement, "") << lie;
  }
  // A run that takes another path through the code is not a disagreement, but its shapes are not
  // used.
  std::string elsewhere = text;
  elsewhere.replace(elsewhere.find(R"("name":"conv2d")"), 15, R"("name":"conv3d")");
  const auto verdict = JudgeSymbolicReply(*Json::Parse(elsewhere), task, measured);
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(verdict->shapes.state, "other_path");
  EXPECT_EQ(verdict->disagreement, "");
}

struct Attack {
  const char* name;
  const char* forward;
};
void PrintTo(const Attack& attack, std::ostream* out) { *out << attack.name; }

class SymbolicAttack : public Symbolic, public testing::WithParamInterface<Attack> {};

KM_SHARED_SUITE(SymbolicAttack);

// Attempts to reach this program through the objects behind a symbol, and some older attacks.
TEST_P(SymbolicAttack, GetsNoShapes) {
  std::string body = "    def forward(self, x):\n        ";
  for (const char* c = GetParam().forward; *c != '\0'; ++c) {
    body += *c;
    if (*c == '\n') body += "        ";
  }
  const Task task = TaskOf(body + "\n", {Randn("x", {4, 8})});
  WorkerLimits limits;
  limits.cpu_ms = 4000;
  limits.memory_bytes = std::int64_t{1} << 30;
  const Json reply = Ask("symbolic", task, limits);
  EXPECT_NE(reply.Find("end")->as_string(), "ran") << reply.Dump();
  EXPECT_EQ(reply.Find("outputs"), nullptr);
}

INSTANTIATE_TEST_SUITE_P(
    Every, SymbolicAttack,
    testing::Values(
        Attack{"node", "n = x.shape[0].node\nreturn x * 2"},
        Attack{"node_by_getattr", "n = getattr(x.shape[0], 'no' + 'de')\nreturn x * 2"},
        Attack{"node_by_match", "match x.shape[0]:\n    case object(node=n): pass\nreturn x * 2"},
        Attack{"environment", "e = x.fake_mode.shape_env\nreturn x * 2"},
        Attack{"set_node", "n = x.shape[0]\nn.node = n\nreturn x * 2"},
        Attack{"set_by_setattr", "setattr(x.shape[0], 'node', 1)\nreturn x * 2"},
        Attack{"made_symbol",
               "class N:\n    def is_int(self): return True\n    def maybe_as_int(self): return 3\n"
               "    def int_(self): return 3\nreturn x.new_zeros(torch.SymInt(N())) + x[0, 0]"},
        Attack{"made_symbol_by_type",
               "class N:\n    def add(self, other): return self\nt = type(x.shape[0])\n"
               "return x.view(t(N()), 8)"},
        Attack{
            "kept_exception",
            "try:\n    x.nonzero().shape[0] > 3\nexcept Exception as e:\n    e.cond\nreturn x * 2"},
        Attack{"context_manager",
               "class C:\n    def __enter__(self): return self\n"
               "    def __exit__(self, a, b, c): return b.cond\nwith C():\n    x.nonzero()\n"
               "return x * 2"},
        Attack{"patched_fake", "type(x).size = lambda self, *a: (1, 2)\nreturn x * 2"},
        Attack{"patched_symbol", "type(x.shape[0]).is_integer = lambda self: True\nreturn x * 2"},
        Attack{"patched_tensor", "torch.Tensor.size = lambda self: (1, 2)\nreturn x * 2"},
        Attack{"spin", "while x.shape[0] > 0:\n    pass\nreturn x"},
        Attack{"grow", "y = x\nfor i in range(10**9):\n    y = torch.cat([y, x])\nreturn y"},
        Attack{"import_sympy", "import sympy\nreturn x * 2"}, Attack{"data", "return x[x > 0]"},
        Attack{"builtins", "return __builtins__"},
        Attack{"frame", "g = (i for i in [1])\ng.gi_frame.f_back"}),
    [](const auto& info) { return info.param.name; });

TEST_F(Symbolic, IsTheSameAfterAnAttack) {
  const std::string before = Ask("symbolic", Downsampling()).Dump();
  Ask("symbolic", TaskOf("    def forward(self, x):\n        type(x).size = None\n"
                         "        torch.Tensor.size = None\n        return x\n",
                         {Randn("x", {4, 8})}));
  EXPECT_EQ(Ask("symbolic", Downsampling()).Dump(), before);
}

}  // namespace
}  // namespace kernelmill
