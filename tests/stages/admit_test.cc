// Admission with the real worker.
#include "stages/admit/admit_step.h"

#include <gtest/gtest.h>

#include "corpora/annotation.h"

namespace kernelmill {
namespace {

InputGuess Randn(std::vector<std::int64_t> shape) {
  InputGuess guess;
  guess.spec = {"x", "float32", shape, "randn", 0, 0};
  guess.rank = Evidence::kUnpack;
  guess.sizes.assign(shape.size(), Evidence::kLayer);
  return guess;
}

ModuleCandidate Attention() {
  ModuleCandidate candidate;
  candidate.name = "Attention";
  candidate.code =
      "import torch\nimport torch.nn as nn\n\n\nclass Model(nn.Module):\n"
      "    def __init__(self, dim):\n        super().__init__()\n"
      "        self.qkv = nn.Linear(dim, dim * 3)\n\n"
      "    def forward(self, x):\n        q, k, v = self.qkv(x).chunk(3, dim=-1)\n"
      "        return (q @ k.transpose(-2, -1)).softmax(dim=-1) @ v\n";
  candidate.arguments = {
      {{{"dim", "64", Evidence::kCallSite}}, {Randn({2, 16, 64})}},
  };
  candidate.origins = {{"https://example.org/r", std::string(40, 'a'), std::string(40, 'b'),
                        "attention.py", "Attention", 5, 12}};
  candidate.licences = {{"MIT", LicenceLevel::kNearestFile, "LICENSE", std::string(40, 'c')}};
  return candidate;
}

class Admission : public testing::Test {
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
  static Outcome Admit(const ModuleCandidate& candidate) {
    Result<Outcome> outcome = step_->Process({"key", candidate.ToJson().Dump()}, *lane_);
    EXPECT_TRUE(outcome.ok()) << outcome.status().message();
    return outcome.ok() ? std::move(outcome).value() : Outcome();
  }

  static AdmitStep* step_;
  static Lane* lane_;
};
AdmitStep* Admission::step_ = nullptr;
Lane* Admission::lane_ = nullptr;

TEST_F(Admission, WritesTheTaskAndItsAnnotation) {
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

TEST_F(Admission, TriesTheNextArguments) {
  ModuleCandidate candidate = Attention();
  candidate.arguments.insert(candidate.arguments.begin(),
                             {{{"dim", "'text'", Evidence::kName}}, {Randn({2, 16, 64})}});
  EXPECT_EQ(Admit(candidate).fate, Fate::kKept);
}

TEST_F(Admission, GivesTheReasonOfTheArgumentsThatCameFurthest) {
  ModuleCandidate candidate = Attention();
  candidate.arguments = {{{{"dim", "64", Evidence::kName}}, {Randn({2, 16})}},
                         {{{"dim", "'text'", Evidence::kName}}, {Randn({2, 16, 64})}}};
  const Outcome outcome = Admit(candidate);
  EXPECT_EQ(outcome.fate, Fate::kRejected);
  EXPECT_EQ(outcome.reason, "run_failed");
  EXPECT_NE(outcome.detail.find("reduction dim"), std::string::npos) << outcome.detail;
  EXPECT_EQ(outcome.original, candidate.code);
}

struct Case {
  const char* name;
  const char* forward;
  const char* reason;
};

class Checks : public Admission, public testing::WithParamInterface<Case> {};

TEST_P(Checks, RejectWith) {
  ModuleCandidate candidate = Attention();
  candidate.code = std::string(
                       "import torch\nimport torch.nn as nn\n\n\nclass Model(nn.Module):\n"
                       "    def forward(self, x):\n        ") +
                   GetParam().forward + "\n";
  candidate.arguments = {{{}, {Randn({4, 16})}}};
  EXPECT_EQ(Admit(candidate).reason, GetParam().reason);
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
