// Properties of structural fingerprints over answers that kernelmill writes: other words never make
// another cluster, and other strategies do.
#include <gtest/gtest.h>

#include "generators/graphs/generated_task.h"
#include "generators/lowering/lower_graph.h"
#include "parsers/fingerprints/answer_fingerprint.h"
#include "tests/generators/fingerprints/equivalent_answer.h"

namespace kernelmill {
namespace {

// Calls `visit` with the answers to each of `count` drawn tasks.
template <typename Visit>
void ForEachTask(std::uint64_t seed, int count, int variants, Visit visit) {
  TaskGenerator tasks({.seed = seed, .levels = {1, 2, 3}});
  for (int i = 0; i < count && tasks.Next(); ++i) {
    std::string reference;
    tasks.AppendSource(SourceSizes::kSmall, &reference);
    const OperatorGraph& graph = tasks.sampler().small();
    const ModuleText module = ModuleTextOfPlan(
        tasks.sampler().large(), graph, tasks.source().plan(), reference, SourceSizes::kSmall);
    visit(LowerInVariants(graph, module, kCudaBackend, variants));
  }
}

TEST(EquivalentAnswers, OtherWordsNeverMakeAnotherCluster) {
  int mutations = 0, changed = 0;
  std::uint64_t seed = 0;
  ForEachTask(11, 45, 3, [&](const std::vector<LoweredAnswer>& answers) {
    for (const LoweredAnswer& answer : answers) {
      const AnswerFingerprint own = ReadAnswerFingerprint(answer.text);
      EXPECT_FALSE(own.kernels.empty());
      // Each kind alone, and then several together.
      for (int i = 0; i < kRewordings + 3; ++i) {
        EquivalentAnswer other(answer.text, ++seed);
        if (i < kRewordings) {
          other.Apply(static_cast<Rewording>(i));
        } else {
          other.ApplySome();
        }
        const std::string text = other.Text();
        ++mutations;
        changed += text != answer.text;
        ASSERT_EQ(ReadAnswerFingerprint(text).ToJson().Pretty(), own.ToJson().Pretty())
            << "kind " << i << '\n'
            << text;
      }
    }
  });
  EXPECT_GE(changed, 1000);
  EXPECT_GE(changed, mutations * 8 / 10) << "some kinds of rewording change nothing";
}

TEST(EquivalentAnswers, OtherStrategiesAreOtherClusters) {
  std::size_t structures = 0, clusters = 0;
  ForEachTask(12, 20, 16, [&](const std::vector<LoweredAnswer>& answers) {
    std::set<Digest> own;
    for (const LoweredAnswer& answer : answers) {
      own.insert(ReadAnswerFingerprint(answer.text).Cluster());
    }
    structures += answers.size();
    clusters += own.size();
  });
  EXPECT_GE(structures, 100u);
  EXPECT_GE(static_cast<double>(clusters), 0.95 * static_cast<double>(structures));
}

}  // namespace
}  // namespace kernelmill
