// Tests of admission with the real worker.
#include "stages/admit/admit_step.h"

#include <gtest/gtest.h>

#include "corpora/records/annotation.h"
#include "generators/graphs/generated_task.h"
#include "tests/shared_suite.h"

namespace kernelmill {
namespace {

InputGuess Randn(std::vector<std::int64_t> shape) {
  InputGuess guess;
  guess.spec = {"x", "float32", shape, "randn", 0, 0};
  guess.rank = Evidence::kUnpack;
  guess.sizes.assign(shape.size(), Evidence::kLayer);
  return guess;
}

MinedModule Attention() {
  MinedModule module;
  module.name = "Attention";
  module.code =
      "import torch\nimport torch.nn as nn\n\n\nclass Model(nn.Module):\n"
      "    def __init__(self, dim):\n        super().__init__()\n"
      "        self.qkv = nn.Linear(dim, dim * 3)\n\n"
      "    def forward(self, x):\n        q, k, v = self.qkv(x).chunk(3, dim=-1)\n"
      "        return (q @ k.transpose(-2, -1)).softmax(dim=-1) @ v\n";
  module.arguments = {
      {{{"dim", "64", Evidence::kCallSite}}, {Randn({2, 16, 64})}},
  };
  module.origins = {{"https://example.org/r", std::string(40, 'a'), std::string(40, 'b'),
                     "attention.py", "Attention", 5, 12}};
  module.licences = {{"MIT", LicenceLevel::kNearestFile, "LICENSE", std::string(40, 'c')}};
  return module;
}

class AdmissionTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    step_ = new AdmitStep({.seed = 7, .mined = {"mine", 1, DigestOf("configuration"), {}}});
    Result<std::unique_ptr<Lane>> lane = step_->OpenLane();
    ASSERT_TRUE(lane.ok()) << lane.status().message();
    lane_ = std::move(lane).value().release();
  }
  static void TearDownTestSuite() {
    delete lane_;
    delete step_;
  }
  static Outcome Admit(const MinedModule& module) {
    Result<Outcome> outcome = step_->Process({"key", module.ToJson().Dump()}, *lane_);
    EXPECT_TRUE(outcome.ok()) << outcome.status().message();
    return outcome.ok() ? std::move(outcome).value() : Outcome();
  }

  static AdmitStep* step_;
  static Lane* lane_;
};
AdmitStep* AdmissionTest::step_ = nullptr;
Lane* AdmissionTest::lane_ = nullptr;

KM_SHARED_SUITE(AdmissionTest);

TEST_F(AdmissionTest, WritesTheTaskAndItsAnnotation) {
  const Outcome outcome = Admit(Attention());
  ASSERT_EQ(outcome.fate, Fate::kKept) << outcome.reason << ": " << outcome.detail;
  ASSERT_EQ(outcome.outputs.size(), 2u);
  const Result<Record> task = Record::Decode(outcome.outputs[0].body);
  const Result<Record> annotation = Record::Decode(outcome.outputs[1].body);
  ASSERT_TRUE(task.ok() && annotation.ok());
  EXPECT_EQ(outcome.outputs[0].key, task->ContentId().AsKey());
  EXPECT_EQ(outcome.outputs[1].key, annotation->ContentId().AsKey());
  EXPECT_EQ(task->kind, RecordKind::kTask);
  EXPECT_EQ(Json(task->attributes).Dump(),
            R"({"init_evidence":["call_site"],"name":"Attention","rank_evidence":["unpack"],)"
            R"("size_evidence":["layer","layer","layer"]})");
  const Result<Annotation> facts = Annotation::FromJson(annotation->payload);
  ASSERT_TRUE(facts.ok()) << facts.status().message();
  EXPECT_EQ(facts->task, task->ContentId());
  EXPECT_EQ(facts->ParameterCount(), 64 * 192 + 192);
  ASSERT_EQ(facts->outputs.size(), 1u);
  EXPECT_EQ(facts->outputs[0].shape, (std::vector<std::int64_t>{2, 16, 64}));
}

// torch reshapes the result of a batched product, which moves nothing: each product counts its
// factors and its result once.
TEST_F(AdmissionTest, AReshapeBehindAProductMovesNoBytes) {
  MinedModule module = Attention();
  module.code =
      "import torch\nimport torch.nn as nn\n\n\nclass Model(nn.Module):\n"
      "    def __init__(self, dim):\n        super().__init__()\n"
      "        self.weight = nn.Parameter(torch.randn(2, dim, 8))\n\n"
      "    def forward(self, x):\n        return x @ self.weight\n";
  const Outcome outcome = Admit(module);
  ASSERT_EQ(outcome.fate, Fate::kKept) << outcome.reason << ": " << outcome.detail;
  const Result<Annotation> facts =
      Annotation::FromJson(Record::Decode(outcome.outputs[1].body)->payload);
  ASSERT_TRUE(facts.ok()) << facts.status().message();
  EXPECT_EQ(facts->bytes, 4 * (2 * 16 * 64 + 2 * 64 * 8 + 2 * 16 * 8));
  EXPECT_EQ(facts->flops, 2 * 2 * 16 * 64 * 8);
}

// Attention with a layer of the model between its two matrix products.
MinedModule AttentionWith(const std::string& layer, const std::string& call) {
  MinedModule module = Attention();
  const auto replace = [&](const std::string& from, const std::string& to) {
    module.code.replace(module.code.find(from), from.size(), to);
  };
  replace("dim * 3)\n", "dim * 3)\n        " + layer + "\n");
  replace("softmax(dim=-1) @ v", "softmax(dim=-1) @ " + call);
  return module;
}

// Models run in the mode in which they are built, as in the judge.
TEST_F(AdmissionTest, ModelsAreTrainedUnlessTheySayOtherwise) {
  for (const char* layer : {"self.drop = nn.Dropout(0.1)", "self.drop = torch.rand_like"}) {
    const Outcome outcome = Admit(AttentionWith(layer, "self.drop(v)"));
    EXPECT_EQ(outcome.fate, Fate::kRejected) << layer;
    EXPECT_EQ(outcome.reason, "random") << layer;
  }
  // Draws that do not affect the result, and layers that are switched off.
  for (const char* layer :
       {"self.drop = lambda v: v if torch.rand(()) >= 0 else v * 2", "self.drop = nn.Dropout(0.0)",
        "self.drop = nn.Dropout(0.5).eval()"}) {
    const Outcome outcome = Admit(AttentionWith(layer, "self.drop(v)"));
    EXPECT_EQ(outcome.fate, Fate::kKept) << layer << ": " << outcome.reason << outcome.detail;
  }

  const auto with_norm = [](const std::string& mode) {
    const Outcome outcome =
        Admit(AttentionWith("self.norm = nn.BatchNorm1d(64)" + mode, "self.norm(v.mT).mT"));
    EXPECT_EQ(outcome.fate, Fate::kKept) << outcome.reason << ": " << outcome.detail;
    return outcome.fate == Fate::kKept
               ? Annotation::FromJson(Record::Decode(outcome.outputs[1].body)->payload).value()
               : Annotation();
  };
  const Annotation batch = with_norm(""), running = with_norm(".eval()");
  // Batch normalisation also returns a mean and a deviation per channel. Its count of batches is
  // not annotated.
  EXPECT_EQ(batch.bytes, running.bytes + 64 * 2 * 4);
  EXPECT_EQ(batch.flops, running.flops);
  ASSERT_EQ(batch.operators.size(), running.operators.size());
  for (const OperatorCall& call : batch.operators) EXPECT_NE(call.name, "add_");
}

// A generated task with a changed record.
Outcome AdmitRecord(AdmitStep& step, Lane& lane, const Record& record) {
  Result<Outcome> outcome = step.Process({"key", record.Encode()}, lane);
  EXPECT_TRUE(outcome.ok()) << outcome.status().message();
  return outcome.ok() ? std::move(outcome).value() : Outcome();
}

TEST_F(AdmissionTest, GeneratedTasksAreFollowedAtSizesThatAreNotComputed) {
  TaskGenerator tasks({.seed = 11});
  constexpr int kTasks = 10;
  std::int64_t elements = 0;
  int kept = 0;
  for (int i = 0; i < kTasks; ++i) {
    ASSERT_TRUE(tasks.Next());
    const Record given = tasks.ToRecord();
    const std::string& code = given.payload.Find("code")->as_string();
    const Outcome outcome = AdmitRecord(*step_, *lane_, given);
    // A task whose result is trivial by chance is rejected; one that fails is the generator's
    // fault.
    if (outcome.reason == "ignores_inputs" || outcome.reason == "trivial") continue;
    ASSERT_EQ(outcome.fate, Fate::kKept) << outcome.reason << ": " << outcome.detail << code;
    ++kept;
    ASSERT_EQ(outcome.outputs.size(), 2u);
    const Record task = Record::Decode(outcome.outputs[0].body).value();
    EXPECT_EQ(task.payload, given.payload);
    EXPECT_EQ(task.attributes, given.attributes);
    EXPECT_EQ(task.origins, given.origins);
    const Annotation facts =
        Annotation::FromJson(Record::Decode(outcome.outputs[1].body).value().payload).value();
    EXPECT_EQ(facts.task, given.ContentId());
    const OperatorGraph& graph = tasks.sampler().large();
    ASSERT_EQ(facts.outputs.size(), graph.outputs().size());
    for (std::size_t output = 0; output < facts.outputs.size(); ++output) {
      const TensorType& type = graph.value(graph.outputs()[output]).type;
      EXPECT_EQ(facts.outputs[output].shape,
                std::vector<std::int64_t>(type.shape.begin(), type.shape.end()))
          << code;
      EXPECT_EQ(facts.outputs[output].dtype, DTypeName(type.dtype));
      elements += type.shape.Elements();
    }
  }
  EXPECT_GT(elements, 1 << 20);
  EXPECT_GE(kept, kTasks - 2);
}

TEST_F(AdmissionTest, GeneratedTasksMustPassAsTheyStand) {
  TaskGenerator tasks({.seed = 5, .levels = {1}});
  ASSERT_TRUE(tasks.Next());
  const Record given = tasks.ToRecord();
  const auto text = [](const std::string& forward) {
    return "import torch\nimport torch.nn as nn\n\n\nclass Model(nn.Module):\n"
           "    def forward(self, x):\n        return " +
           forward +
           "\n\n\ndef get_inputs():\n    return [torch.randn(4, 16)]\n\n\n"
           "def get_init_inputs():\n    return []\n";
  };
  const struct {
    const char *own, *check, *reason;
  } kCases[] = {
      {"x.exp()", "x.exp()", ""},
      {"x.exp()", "x / 0", "not_finite"},
      {"x.exp()", "x[:, 3:3]", "ignores_inputs"},
      // Failures that only the full sizes show.
      {"x.view(4, 17)", "x.view(4, 2, 8)", "run_failed"},
  };
  for (const auto& one : kCases) {
    Record record = given;
    record.payload["code"] = text(one.own);
    record.payload["inputs"] = Json::Array{InputSpec{"x", "float32", {4, 16}, "randn"}.ToJson()};
    record.attributes[kSmallTextAttribute] = text(one.check);
    const Outcome outcome = AdmitRecord(*step_, *lane_, record);
    EXPECT_EQ(outcome.reason, one.reason) << one.check << ": " << outcome.detail;
    if (outcome.fate == Fate::kKept) continue;
    EXPECT_EQ(outcome.original, text(one.own));
    EXPECT_EQ(outcome.origins, given.origins);
  }
}

TEST_F(AdmissionTest, TriesTheNextArguments) {
  MinedModule module = Attention();
  module.arguments.insert(module.arguments.begin(),
                          {{{"dim", "'text'", Evidence::kName}}, {Randn({2, 16, 64})}});
  EXPECT_EQ(Admit(module).fate, Fate::kKept);
}

TEST_F(AdmissionTest, GivesTheReasonOfTheArgumentsThatCameFurthest) {
  MinedModule module = Attention();
  module.code.replace(module.code.find("        return"), 0,
                      "        if len(x) == 2:\n            raise ValueError('too far')\n");
  module.arguments = {{{{"dim", "64", Evidence::kName}}, {Randn({2, 16, 64})}},
                      {{{"dim", "'text'", Evidence::kName}}, {Randn({2, 16, 64})}}};
  const Outcome outcome = Admit(module);
  EXPECT_EQ(outcome.fate, Fate::kRejected);
  EXPECT_EQ(outcome.reason, "run_failed");
  EXPECT_NE(outcome.detail.find("too far"), std::string::npos) << outcome.detail;
  EXPECT_EQ(outcome.original, module.code);
}

// Modules whose first arguments are wrong, and that run after a repair from the error.
struct Repairable {
  const char* name;
  const char* constructor;
  const char* forward;
  ArgumentSet arguments;
};
void PrintTo(const Repairable& repairable, std::ostream* out) { *out << repairable.name; }

InputGuess Weak(std::vector<std::int64_t> shape) {
  InputGuess guess = Randn(std::move(shape));
  guess.rank = Evidence::kName;
  guess.sizes.assign(guess.sizes.size(), Evidence::kName);
  return guess;
}

class Repair : public AdmissionTest, public testing::WithParamInterface<Repairable> {};

KM_SHARED_SUITE(Repair);

TEST_P(Repair, Admits) {
  MinedModule module = Attention();
  module.code = std::string("import torch\nimport torch.nn as nn\n\n\nclass Model(nn.Module):\n") +
                "    def __init__(self" + GetParam().constructor + "\n\n    def forward(self, " +
                GetParam().forward + "\n";
  module.arguments = {GetParam().arguments};
  const Outcome outcome = Admit(module);
  ASSERT_EQ(outcome.fate, Fate::kKept) << outcome.reason << ": " << outcome.detail;
  const Result<Record> task = Record::Decode(outcome.outputs[0].body);
  ASSERT_TRUE(task.ok());
  EXPECT_NE(task->payload, module.ToTask(GetParam().arguments).ToJson());
  // The same record again.
  EXPECT_EQ(Admit(module).outputs[0].body, outcome.outputs[0].body);
}

#define KM_LAYER(layer) "):\n        super().__init__()\n        self.layer = " layer
#define KM_CALL "x):\n        return self.layer(x).sin()"

INSTANTIATE_TEST_SUITE_P(
    Every, Repair,
    testing::Values(
        Repairable{"features", KM_LAYER("nn.Linear(48, 8)"), KM_CALL, {{}, {Weak({2, 16, 64})}}},
        Repairable{
            "channels", KM_LAYER("nn.Conv2d(6, 8, 3)"), KM_CALL, {{}, {Weak({2, 3, 32, 40})}}},
        Repairable{"rank", KM_LAYER("nn.Conv2d(6, 8, 3)"), KM_CALL, {{}, {Weak({2, 16, 64})}}},
        Repairable{"volume", KM_LAYER("nn.Conv3d(6, 8, 3)"), KM_CALL, {{}, {Weak({2, 16, 64})}}},
        Repairable{"unpacking",
                   KM_LAYER("nn.Identity()"),
                   "x):\n        b, c, h, w = x.shape\n        return (x * h).sum(1)",
                   {{}, {Weak({2, 16, 64})}}},
        Repairable{
            "embedding", KM_LAYER("nn.Embedding(50, 8)"), KM_CALL, {{}, {Weak({2, 16, 64})}}},
        Repairable{
            "channels_last", KM_LAYER("nn.LayerNorm(24)"), KM_CALL, {{}, {Weak({2, 24, 32, 40})}}},
        Repairable{"small", KM_LAYER("nn.Conv2d(3, 8, 33)"), KM_CALL, {{}, {Weak({2, 3, 24, 20})}}},
        Repairable{"mask",
                   KM_LAYER("nn.Identity()"),
                   "x, mask):\n        return x.masked_fill(mask, 0).cumsum(1)",
                   {{}, {Weak({2, 16, 64}), Weak({2, 16, 64})}}},
        Repairable{"window",
                   KM_LAYER("nn.Identity()"),
                   "x):\n        b, h, w, c = x.shape\n        assert h % 7 == 0 and w % 7 == 0\n"
                   "        return x.view(b, h // 7, 7, w // 7, 7, c).sum(2)",
                   {{}, {Weak({2, 32, 40, 16})}}},
        Repairable{"grid",
                   KM_LAYER("nn.Conv2d(3, 8, 8, 8)") "\n        self.table = nn.Parameter("
                                                     "torch.randn(1, 197, 8))",
                   "x):\n        x = self.layer(x).flatten(2).transpose(1, 2)\n"
                   "        x = torch.cat([x[:, :1], x], 1)\n        return x + self.table",
                   {{}, {Weak({2, 3, 32, 40})}}},
        Repairable{"missing_input",
                   KM_LAYER("nn.Linear(64, 8)"),
                   "x, context):\n        return self.layer(x) + self.layer(context)",
                   {{}, {Weak({2, 16, 64})}}},
        Repairable{"heads",
                   ", dim, heads):\n        super().__init__()\n"
                   "        assert dim % heads == 0\n        self.layer = nn.Linear(dim, heads)",
                   KM_CALL,
                   {{{"dim", "64", Evidence::kCallSite}, {"heads", "6", Evidence::kName}},
                    {Weak({2, 16, 64})}}},
        Repairable{"pair",
                   ", size, dim=None):\n        super().__init__()\n"
                   "        self.layer = nn.Linear(size[0] * size[1], dim * 2)",
                   KM_CALL,
                   {{{"size", "8", Evidence::kName}}, {Weak({2, 16, 64})}}},
        Repairable{"domain",
                   KM_LAYER("nn.Identity()"),
                   "x):\n        return torch.log(x + 0.1)",
                   {{}, {Weak({2, 16, 64})}}}),
    [](const auto& info) { return info.param.name; });

struct Case {
  const char* name;
  const char* forward;
  const char* reason;
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

class Checks : public AdmissionTest, public testing::WithParamInterface<Case> {};

KM_SHARED_SUITE(Checks);

TEST_P(Checks, RejectWith) {
  MinedModule module = Attention();
  module.code = std::string(
                    "import torch\nimport torch.nn as nn\n\n\nclass Model(nn.Module):\n"
                    "    def forward(self, x):\n        ") +
                GetParam().forward + "\n";
  module.arguments = {{{}, {Randn({4, 16})}}};
  EXPECT_EQ(Admit(module).reason, GetParam().reason);
}

INSTANTIATE_TEST_SUITE_P(Every, Checks,
                         testing::Values(Case{"zeros", "return x * 1e-9", "trivial"},
                                         Case{"input", "return x + 1e-6", "trivial"},
                                         Case{"constant", "return torch.ones(3)", "ignores_inputs"},
                                         Case{"nearly", "return x * 2.5e-4", "borderline"},
                                         Case{"infinite", "return x / 0", "not_finite"},
                                         Case{"in_place", "return x.mul_(2)", "writes_inputs"},
                                         Case{"no_tensor", "return 3", "no_tensor_output"},
                                         Case{"costly", "return x @ torch.zeros(16, 1 << 34)",
                                              "too_costly"},
                                         Case{"import", "import os; return x", "unsafe_import"},
                                         Case{"syntax", "return (", "parse_error"},
                                         Case{"good", "return torch.sigmoid(x)", ""}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace kernelmill
