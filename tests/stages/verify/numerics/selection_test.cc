// Tests which outputs are selections (indices of elements), and which other indices are accepted in
// place of torch's.
#include "stages/verify/numerics/selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "stages/verify/judge/judge_workers.h"
#include "stages/verify/legality/policy.h"
#include "tests/shared_suite.h"

namespace kernelmill {
namespace {

// A task on integers from 0 to 3, most of which occur several times in a row.
std::string TaskOf(const std::string& forward, const std::string& inputs) {
  return "import torch\nimport torch.nn as nn\n\n\nclass Model(nn.Module):\n"
         "    def forward(self, x):\n        " +
         forward + "\n\n\ndef get_inputs():\n    return [" + inputs +
         "]\n\n\ndef get_init_inputs():\n    return []\n";
}

struct Counted {
  int taken = 0, refused = 0;
};

// Replaces the first index of a row by every other one, and swaps neighbouring indices; counts the
// accepted results.
Counted CountReplacements(const Selection& selection, const TensorValues& output,
                          std::int64_t length) {
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < output.size(); ++i) indices.push_back(output.IntegerAt(i));
  Counted counted;
  const auto judge = [&](const std::vector<std::int64_t>& changed) {
    const std::string bytes(reinterpret_cast<const char*>(changed.data()),
                            changed.size() * sizeof(std::int64_t));
    const bool right = selection.Wrong(output, output.WithBytes(bytes), nullptr).empty();
    ++(right ? counted.taken : counted.refused);
  };
  for (std::int64_t other = 0; other < length; ++other) {
    if (other == indices[0]) continue;
    std::vector<std::int64_t> changed = indices;
    changed[0] = other;
    judge(changed);
  }
  for (std::size_t i = 0; i < indices.size(); ++i) {
    for (std::size_t j = i + 1; j < std::min(i + 7, indices.size()); ++j) {
      std::vector<std::int64_t> changed = indices;
      std::swap(changed[i], changed[j]);
      if (changed != indices) judge(changed);
    }
  }
  for (const std::int64_t far : {std::int64_t{-1}, length, std::int64_t{1} << 40}) {
    std::vector<std::int64_t> changed = indices;
    changed[0] = far;
    judge(changed);
    EXPECT_FALSE(
        selection
            .Wrong(output,
                   output.WithBytes({reinterpret_cast<const char*>(changed.data()),
                                     changed.size() * sizeof(std::int64_t)}),
                   nullptr)
            .empty());
  }
  return counted;
}

class Selections : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { workers_ = new JudgeWorkers(); }
  static void TearDownTestSuite() { delete workers_; }

  const ReferenceTrial* Run(const std::string& forward, const std::string& inputs) {
    Result<ReferenceRuns*> runs =
        workers_->Reference(TaskOf(forward, inputs), {*FindVerifyPolicy("strict"), 7, true});
    EXPECT_TRUE(runs.ok()) << runs.status().message();
    if (!runs.ok() || (*runs)->fault()) {
      ADD_FAILURE() << forward << ": " << (runs.ok() ? (*runs)->fault()->detail : "");
      return nullptr;
    }
    return &(*runs)->base().trials.front();
  }

  static JudgeWorkers* workers_;
};
JudgeWorkers* Selections::workers_ = nullptr;

constexpr char kLevels[] = "torch.randint(0, 4, (5, 14, 6)).float()";

KM_SHARED_SUITE(Selections);

TEST_F(Selections, TakeAnEqualElementWhereTorchLeavesTheOrderOpen) {
  for (const char* forward :
       {"return torch.argsort(x, dim=1)", "return torch.sort(x, 1, descending=True)[1]",
        "return torch.topk(x, 9, dim=1).indices", "return torch.kthvalue(x, 3, 1)[1]",
        "return torch.kthvalue(x, 3, dim=-2, keepdim=True).indices",
        "return torch.median(x, dim=1)[1]", "return x.mode(1).indices",
        "return x.nanmedian(dim=1, keepdim=True)[1]", "return x.long().argsort(1)",
        "return x.argsort(dim=1).transpose(1, 2)", "return x.argsort(dim=1)[:, 2:7].contiguous()",
        "return x.transpose(0, 2).sort(1).indices.to(torch.int64).flatten()"}) {
    SCOPED_TRACE(forward);
    const ReferenceTrial* const trial = Run(forward, kLevels);
    ASSERT_NE(trial, nullptr);
    ASSERT_EQ(trial->outputs.size(), 1u);
    const Selection* const selection = trial->Output(0).selection;
    ASSERT_NE(selection, nullptr);
    const Counted counted = CountReplacements(*selection, trial->outputs[0], 14);
    EXPECT_GE(counted.taken, 1);
    EXPECT_GT(counted.refused, counted.taken);
  }
}

TEST_F(Selections, TakeNothingElseWhereTorchSaysWhichElementItIs) {
  for (const char* forward :
       {"return torch.argsort(x, dim=1, stable=True)", "return x.argmax(1)",
        "return x.min(dim=1).indices", "return torch.max(x, 1, keepdim=True)[1]",
        "return x.relu().argmin(dim=1)"}) {
    SCOPED_TRACE(forward);
    const ReferenceTrial* const trial = Run(forward, kLevels);
    ASSERT_NE(trial, nullptr);
    const Selection* const selection = trial->Output(0).selection;
    ASSERT_NE(selection, nullptr);
    EXPECT_EQ(CountReplacements(*selection, trial->outputs[0], 14).taken, 0);
  }
}

TEST_F(Selections, AreOnlyWhatStillPointsIntoWhatWasSearched) {
  for (const char* forward :
       {"return x.argsort(1) + 1", "return x.argsort(1).add_(1)", "return x.argsort(1).cumsum(1)",
        "return x.argsort(1)[:, :1].expand(5, 14, 6)", "return x.long()",
        "return torch.bucketize(x, torch.arange(3.0))"}) {
    SCOPED_TRACE(forward);
    const ReferenceTrial* const trial = Run(forward, kLevels);
    ASSERT_NE(trial, nullptr);
    EXPECT_EQ(trial->Output(0).selection, nullptr);
  }
}

// The order in which a sum of halves is rounded is unspecified, so another element may be the
// largest, but not one that is visibly smaller.
TEST_F(Selections, OfRoundedNumbersForgiveWhatTheirToleranceForgives) {
  const ReferenceTrial* const trial =
      Run("return (x * 0.37).softmax(1).argmax(1)", "torch.rand(4, 4000, dtype=torch.float16)");
  ASSERT_NE(trial, nullptr);
  const Selection* const selection = trial->Output(0).selection;
  ASSERT_NE(selection, nullptr);
  const Counted counted = CountReplacements(*selection, trial->outputs[0], 4000);
  EXPECT_GE(counted.taken, 1);
  EXPECT_GT(counted.refused, 20 * counted.taken);

  const ReferenceTrial* const exact =
      Run("return x.argmax(1)", "torch.rand(4, 4000, dtype=torch.float16)");
  ASSERT_NE(exact, nullptr);
  EXPECT_EQ(CountReplacements(*exact->Output(0).selection, exact->outputs[0], 4000).taken, 0);
}

}  // namespace
}  // namespace kernelmill
