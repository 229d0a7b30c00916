// Tests of the judge with real workers and candidates without native code. Candidates that need a
// compiler are in native_judge_test.cc.
#include "stages/verify/judge/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/shared_suite.h"
#include "tests/stages/verify/candidate_files.h"

namespace kernelmill {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Judge StartJudge(std::string_view policy, WorkerLimits limits = {}, std::string secret = "") {
  JudgeOptions options;
  options.secret = std::move(secret);
  options.policy = *FindVerifyPolicy(policy);
  options.limits = limits;
  options.build = [](const ExtensionSources& sources) -> Result<BuiltExtension> {
    return Status(ErrorCode::kInternal, "nothing builds " + sources.name + " here");
  };
  Result<Judge> judge = Judge::Start(std::move(options));
  EXPECT_TRUE(judge.ok()) << judge.status().message();
  return std::move(judge).value();
}

class JudgeTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    strict_ = new Judge(StartJudge("strict"));
    lenient_ = new Judge(StartJudge("kernelbench"));
  }
  static void TearDownTestSuite() {
    delete strict_;
    delete lenient_;
  }
  static Verdict Say(Judge* judge, const std::string& task, const std::string& code) {
    Result<Verdict> verdict = judge->Verify(task, code);
    EXPECT_TRUE(verdict.ok()) << verdict.status().message();
    return verdict.ok() ? *verdict : Verdict();
  }
  // A module whose forward() has this body.
  static std::string Module(const std::string& name, const std::string& parameters,
                            const std::string& body) {
    return "import torch\nimport torch.nn as nn\n\n\nclass " + name +
           "(nn.Module):\n    def forward(self, " + parameters + "):\n        " + body + "\n";
  }
  // The verdict on that module as an answer, under the policy "kernelbench".
  static Verdict Lenient(const std::string& task, const std::string& body,
                         const std::string& parameters = "x") {
    return Say(lenient_, TaskText(task), Module("ModelNew", parameters, body));
  }
  // The verdict on that module as an answer to itself. `inputs`: the rest of the task.
  static Verdict LenientToItself(const std::string& parameters, const std::string& body,
                                 const std::string& inputs) {
    return Say(lenient_, Module("Model", parameters, body) + inputs,
               Module("ModelNew", parameters, body));
  }
  static Judge* strict_;
  static Judge* lenient_;
};
Judge* JudgeTest::strict_ = nullptr;
Judge* JudgeTest::lenient_ = nullptr;

KM_SHARED_SUITE(JudgeTest);

// The head of every file in cheats/ names its task and the expected verdict.
TEST_F(JudgeTest, RefusesEveryCheatWithItsReason) {
  const std::vector<CandidateFile> cheats = CandidatesIn("cheats");
  EXPECT_GE(cheats.size(), 80u);
  for (const CandidateFile& cheat : cheats) {
    SCOPED_TRACE(cheat.name);
    const Verdict verdict = VerdictOf(strict_, cheat);
    EXPECT_EQ(std::string(StatusName(verdict.status)) + " " + verdict.reason,
              cheat.head.at("verdict"))
        << verdict.ToJson().Pretty();
    EXPECT_NE(ExplainVerdictReason(verdict.status, verdict.reason), "");
    EXPECT_EQ(verdict.Reward(), -1.0);
  }
}

TEST_F(JudgeTest, NamesTheLineOfWhatItRefuses) {
  const Verdict verdict =
      Say(strict_, TaskText("relu"), TextOf(VerifyTests() / "cheats/tensor_method.py"));
  ASSERT_FALSE(verdict.findings.empty());
  EXPECT_EQ(verdict.findings[0].file, "candidate.py");
  EXPECT_EQ(verdict.findings[0].line, 9);
  EXPECT_THAT(verdict.feedback, HasSubstr("candidate.py:9"));
}

TEST_F(JudgeTest, TakesTheReferenceItselfUnderKernelBenchsRules) {
  for (const char* name : {"relu", "row_sum", "cat", "matmul", "argmax", "linear"}) {
    SCOPED_TRACE(name);
    std::string code = TaskText(name);
    code.replace(code.find("class Model("), 12, "class ModelNew(");
    const Verdict verdict = Say(lenient_, TaskText(name), code);
    EXPECT_EQ(StatusName(verdict.status), "correct") << verdict.ToJson().Pretty();
    EXPECT_EQ(verdict.full_size.state, "same");
    EXPECT_EQ(verdict.trials.size(), 5u + 1u);  // One follows from the candidate's text.
    EXPECT_EQ(verdict.Reward(), 1.0);
  }
}

TEST_F(JudgeTest, SaysWhatIsWrong) {
  Verdict verdict = Lenient("relu", "return torch.relu(x)[:, :-1]");
  EXPECT_EQ(verdict.reason, "shape");
  verdict = Lenient("relu", "return torch.relu(x).double()");
  EXPECT_EQ(verdict.reason, "dtype");
  verdict = Lenient("relu", "return torch.relu(x), x");
  EXPECT_EQ(verdict.reason, "output_count");
  verdict = Lenient("argmax", "return torch.argmin(x, dim=1), torch.amax(x, dim=1)");
  EXPECT_EQ(verdict.reason, "values");
  ASSERT_TRUE(verdict.diagnosis.has_value());
  EXPECT_EQ(verdict.diagnosis->output, 0);
  EXPECT_EQ(verdict.diagnosis->shape, std::vector<std::int64_t>{7});
  EXPECT_EQ(StatusName(verdict.status), "wrong");
  EXPECT_EQ(verdict.Reward(), -1.0);
}

TEST_F(JudgeTest, SeesMemoryThatNothingHasWritten) {
  const Verdict verdict = Lenient(
      "relu", "y = torch.empty_like(x)\n        y[:4] = torch.relu(x[:4])\n        return y");
  ASSERT_TRUE(verdict.diagnosis.has_value()) << verdict.ToJson().Pretty();
  EXPECT_EQ(verdict.diagnosis->pattern, "not_written");
  EXPECT_EQ(verdict.diagnosis->where, "where index 0 is 4 or more");
  EXPECT_EQ(verdict.diagnosis->wrong, 80);
  EXPECT_EQ(verdict.diagnosis->elements.at(0).got, "nan");
}

TEST_F(JudgeTest, GivesFreshInputsToAnswersThatRemember) {
  for (const char* key : {"x.data_ptr()", "id(x)", "x.shape"}) {
    const Verdict verdict =
        Say(lenient_, TaskText("relu"),
            "import torch\nimport torch.nn as nn\nKNOWN = {}\n\n\nclass ModelNew(nn.Module):\n"
            "    def forward(self, x):\n        if " +
                std::string(key) +
                " not in KNOWN:\n"
                "            KNOWN[" +
                key + "] = torch.relu(x)\n        return KNOWN[" + key + "]\n");
    EXPECT_EQ(StatusName(verdict.status), "wrong") << key;
    EXPECT_GT(verdict.PassRate(), 0.0);
    EXPECT_LT(verdict.PassRate(), 1.0);
  }
}

TEST_F(JudgeTest, DrawsInputsFromItsSecret) {
  const std::string tells = Module("ModelNew", "x", "raise ValueError(float(x.flatten()[0]))");
  const std::string public_inputs = Say(lenient_, TaskText("relu"), tells).detail;
  EXPECT_THAT(public_inputs, StartsWith("ValueError: "));
  std::vector<std::string> seen;
  for (const char* secret : {"one", "other"}) {
    Judge judge = StartJudge("kernelbench", {}, secret);
    seen.push_back(Say(&judge, TaskText("relu"), tells).detail);
    EXPECT_THAT(seen.back(), StartsWith("ValueError: "));
    EXPECT_NE(seen.back(), public_inputs);
    // Another task has other inputs, although it draws them alike.
    EXPECT_NE(Say(&judge, TaskText("relu") + "\n", tells).detail, seen.back());
    EXPECT_EQ(Say(&judge, TaskText("relu"), tells).detail, seen.back());
  }
  EXPECT_NE(seen[0], seen[1]);
}

TEST_F(JudgeTest, WantsParametersInTheReferencesOrder) {
  const std::string code =
      "import torch\nimport torch.nn as nn\n\n\nclass ModelNew(nn.Module):\n"
      "    def __init__(self, i, o):\n        super().__init__()\n"
      "        self.other = nn.Parameter(torch.randn(3))\n        self.linear = nn.Linear(i, o)\n\n"
      "    def forward(self, x):\n        return torch.relu(self.linear(x))\n";
  const Verdict verdict = Say(lenient_, TaskText("linear"), code);
  EXPECT_EQ(StatusName(verdict.status), "wrong");
  ASSERT_FALSE(verdict.findings.empty());
  EXPECT_EQ(verdict.findings[0].reason, "parameter_differs");
}

TEST_F(JudgeTest, LetsACandidateBelieveInItsGpu) {
  const Verdict verdict = Lenient(
      "relu",
      "assert x.is_cuda and x.device.type == 'cuda' and torch.cuda.is_available()\n"
      "        torch.cuda.synchronize()\n"
      "        with torch.device('cuda'):\n            z = torch.zeros(3)\n"
      "        y = torch.empty(x.shape, device=x.device)\n"
      "        assert z.is_cuda and y.cuda().to('cuda:0').get_device() == 0\n"
      "        y.copy_(torch.relu(x.to(device='cuda', dtype=torch.float32)))\n"
      "        assert torch.cuda.get_device_properties(0).warp_size == 32\n        return y");
  EXPECT_EQ(StatusName(verdict.status), "correct") << verdict.ToJson().Pretty();
}

TEST_F(JudgeTest, DoesWhatADeviceDoesToTheValues) {
  const std::string linear =
      "import torch\nimport torch.nn as nn\n\n\nclass Model(nn.Module):\n"
      "    def __init__(self):\n        super().__init__()\n"
      "        self.layer = nn.Linear(64, 64)\n\n"
      "    def forward(self, x):\n        return self.layer(x)\n\n\n"
      "def get_inputs():\n    return [torch.randn(8, 64)]\n\n\n"
      "def get_init_inputs():\n    return []\n";
  const auto answer = [&](const std::string& made, const std::string& run) {
    std::string code = linear;
    code.replace(code.find("class Model"), 11, "class ModelNew");
    code.insert(code.find("\n\n    def forward"), made);
    code.replace(code.find("return self.layer(x)"), 20, run);
    return Say(lenient_, linear, code);
  };
  EXPECT_EQ(StatusName(answer("", "return self.layer(x)").status), "correct");
  // Autocast computes in half precision.
  for (const char* context : {"torch.autocast(\"cuda\")", "torch.cuda.amp.autocast()",
                              "torch.autocast(device_type=\"cuda\", dtype=torch.bfloat16)"}) {
    const Verdict verdict = answer("", std::string("\n        with ") + context +
                                           ":\n            return self.layer(x).float()");
    EXPECT_EQ(verdict.reason, "values") << context;
    ASSERT_TRUE(verdict.diagnosis.has_value());
    EXPECT_EQ(verdict.diagnosis->pattern, "imprecise") << context;
  }
  // Random numbers drawn in forward() differ between the two modules.
  const std::string weight = "\n        self.layer.weight = nn.Parameter(torch.randn(64, 64";
  EXPECT_EQ(answer(weight + ", device=\"cuda\"))", "return self.layer(x)").reason, "values");
  // Both modules run in the mode in which they are constructed.
  EXPECT_EQ(StatusName(answer("\n        self.training = False",
                              "return self.layer(x) if not self.training else x")
                           .status),
            "correct");
}

TEST_F(JudgeTest, GivesACandidateTheNamesOfTheTask) {
  // KernelBench executes both files in one namespace.
  const Verdict verdict = Say(lenient_, TaskText("relu"),
                              "class ModelNew(nn.Module):\n    def forward(self, x):\n"
                              "        assert x.shape == (rows, columns)\n"
                              "        return torch.relu(x)\n");
  EXPECT_EQ(StatusName(verdict.status), "correct") << verdict.ToJson().Pretty();
}

TEST_F(JudgeTest, ShrinksTasksThatAreTooLarge) {
  std::string task = TaskText("matmul");
  task.replace(task.find("M = 20"), 6, "M = 16384");
  task.replace(task.find("K = 36"), 6, "K = 8192 * 2");
  std::string code = task;
  code.replace(code.find("class Model("), 12, "class ModelNew(");
  // The answer asserts the task's sizes.
  code.insert(code.find("        return"), "        assert a.shape == (M, K), a.shape\n");
  const Verdict verdict = Say(lenient_, task, code);
  EXPECT_EQ(StatusName(verdict.status), "correct") << verdict.ToJson().Pretty();
  // One run has only M smaller.
  EXPECT_EQ(verdict.full_size.state, "batch");
  EXPECT_NE(verdict.full_size.why_not.find("moves more than 2000 MB"), std::string::npos)
      << verdict.full_size.why_not;
}

// An index up to a constant in the text, which is not a size: smaller tensors would not have it.
TEST_F(JudgeTest, KeepsSizesThatAnIndexNeeds) {
  const Verdict verdict = LenientToItself(
      "x, index", "return torch.cat([x, x], 1).gather(1, index)",
      "\n\nbatch = 4096\nfeatures = 1024\n\n\ndef get_inputs():\n"
      "    return [torch.rand(batch, features), torch.randint(0, 2048, (40, 7))]\n\n\n"
      "def get_init_inputs():\n    return []\n");
  EXPECT_EQ(StatusName(verdict.status), "correct") << verdict.ToJson().Pretty();
}

TEST_F(JudgeTest, BlamesTheReferenceForItsOwnFaults) {
  const std::string code = TextOf(VerifyTests() / "cheats/zeros_returned.py");
  std::string task = TaskText("relu");
  task.replace(task.find("torch.relu(x)"), 13, "torch.dropout(x, 0.5, True)");
  EXPECT_EQ(Say(strict_, task, code).reason, "random");
  task = TaskText("relu");
  task.replace(task.find("torch.relu(x)"), 13, "x.nothing()");
  const Verdict verdict = Say(strict_, task, code);
  EXPECT_EQ(StatusName(verdict.status), "reference_failed");
  EXPECT_EQ(verdict.Reward(), std::nullopt);
  EXPECT_EQ(verdict.feedback, "");
}

TEST_F(JudgeTest, SaysWhyAReferenceDoesNotRun) {
  const std::string code = TextOf(VerifyTests() / "cheats/zeros_returned.py");
  const std::string task = TaskText("relu");
  const std::map<std::string, std::string> faults = {
      {"", "NameError: it defines no Model"},
      {task.substr(0, task.find("def get_inputs")), "NameError: it defines no get_inputs"},
      {task + "def f(:", "SyntaxError"},
      {task + "# caf\xE9\n", "it is not UTF-8"}};
  for (const auto& [text, why] : faults) {
    const Verdict verdict = Say(lenient_, text, code);
    EXPECT_EQ(StatusName(verdict.status), "reference_failed");
    EXPECT_EQ(verdict.reason, "raised");
    EXPECT_THAT(verdict.detail, StartsWith(why));
  }
  const Verdict verdict = Say(lenient_, "\xEF\xBB\xBF" + task, code);
  EXPECT_NE(StatusName(verdict.status), "reference_failed") << verdict.detail;
}

TEST_F(JudgeTest, TakesAnyBytesForAnAnswer) {
  const std::string code =
      "class ModelNew(nn.Module):\n    def forward(self, x):\n"
      "        return torch.relu(x)\n";
  for (const char* bytes : {"# caf\xE9\n", "\xFF\xFE\x00", "x = '\xED\xA0\x80'\n"}) {
    const Verdict verdict = Say(lenient_, TaskText("relu"), bytes + code);
    EXPECT_EQ(StatusName(verdict.status), "no_answer");
    EXPECT_EQ(verdict.reason, "syntax_error");
    EXPECT_EQ(verdict.detail, "it is not UTF-8");
  }
  const Verdict verdict = Say(lenient_, TaskText("relu"), "\xEF\xBB\xBF" + code);
  EXPECT_EQ(StatusName(verdict.status), "correct") << verdict.detail;
}

TEST_F(JudgeTest, HandsOverWhatInputsHold) {
  const Verdict verdict = LenientToItself(
      "pair, named, factor", "return pair[0] * factor, [named['a'] - pair[1]]",
      "\n\ndef get_inputs():\n    return [(torch.rand(3, 4), torch.rand(5)), {'a': "
      "torch.rand(5)},\n"
      "            torch.rand(1).item()]\n\n\ndef get_init_inputs():\n    return []\n");
  EXPECT_EQ(StatusName(verdict.status), "correct") << verdict.ToJson().Pretty();
}

TEST_F(JudgeTest, StopsWhatDoesNotEnd) {
  WorkerLimits limits;
  limits.cpu_ms = 3'000;  // The last two need a small part of this limit, even on a busy machine.
  limits.idle_ms = 4'000;
  limits.memory_bytes = std::int64_t{3} << 30;
  Judge judge = StartJudge("strict", limits);
  const std::string start =
      "import torch\nimport torch.nn as nn\n\n\nclass ModelNew(nn.Module):\n"
      "    def forward(self, x):\n        ";
  Verdict verdict = Say(&judge, TaskText("relu"), start + "while True:\n            pass\n");
  EXPECT_EQ(StatusName(verdict.status), "timed_out");
  verdict = Say(&judge, TaskText("relu"), start + "import time\n        time.sleep(99999)\n");
  EXPECT_EQ(StatusName(verdict.status), "timed_out");
  verdict = Say(&judge, TaskText("relu"), start + "return torch.empty(1 << 33)\n");
  EXPECT_EQ(verdict.reason, "memory_limit") << verdict.ToJson().Pretty();
  verdict = Say(&judge, TaskText("relu"), start + "while True:\n            print('a' * 65536)\n");
  EXPECT_EQ(verdict.reason, "output_limit") << verdict.ToJson().Pretty();
}

TEST_F(JudgeTest, GivesTheSameVerdictAgain) {
  const std::string code = TextOf(VerifyTests() / "cheats/python_sum.py");
  EXPECT_EQ(Say(strict_, TaskText("row_sum"), code).ToJson().Dump(),
            Say(strict_, TaskText("row_sum"), code).ToJson().Dump());
}

}  // namespace
}  // namespace kernelmill
