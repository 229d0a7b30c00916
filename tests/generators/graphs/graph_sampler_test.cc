#include "generators/graphs/graph_sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "corpora/operators/operator_table.h"
#include "generators/graphs/generated_task.h"

namespace kernelmill {
namespace {

std::string TextAt(GraphSampler* sampler, std::uint64_t index) {
  EXPECT_TRUE(sampler->Sample(index)) << index;
  std::string text;
  PyTorchSource().Append(sampler->large(), sampler->small(), sampler->names(), sampler->text_seed(),
                         SourceSizes::kLarge, &text);
  return text;
}

TEST(GraphSampler, AnIndexGivesTheSameTaskWhateverCameBefore) {
  GraphSampler upwards({.seed = 3}), downwards({.seed = 3}), other({.seed = 4});
  std::vector<std::string> texts;
  for (int i = 0; i < 60; ++i) texts.push_back(TextAt(&upwards, i));
  int different = 0;
  for (int i = 60; i-- > 0;) {
    EXPECT_EQ(TextAt(&downwards, i), texts[i]) << i;
    different += TextAt(&other, i) != texts[i];
  }
  EXPECT_GT(different, 50);
}

TEST(GraphSampler, GraphsAreWhole) {
  GraphSampler sampler({.seed = 5});
  OperatorGraph small, other;
  std::set<int> levels;
  int any_shape = 0;
  for (int i = 0; i < 1500; ++i) {
    ASSERT_TRUE(sampler.Sample(i)) << i;
    const OperatorGraph& graph = sampler.large();
    levels.insert(sampler.level());
    // Both sizes belong to one graph.
    ASSERT_TRUE(AtSmallSizes(graph, &small)) << i;
    ASSERT_EQ(CanonicalHash(small), CanonicalHash(sampler.small())) << i;
    // Every computed value is used and finite.
    std::vector<int> uses(graph.values().size());
    for (const ValueId id : graph.outputs()) ++uses[id];
    for (const Node& node : graph.nodes()) {
      for (const ValueId id : graph.operands(node)) {
        if (id != kAbsent) ++uses[id];
      }
    }
    for (const Node& node : graph.nodes()) {
      int used = 0;
      for (int j = 0; j < node.result_count; ++j) used += uses[node.first_result + j];
      EXPECT_GT(used, 0) << i << ": " << node.op->name;
    }
    for (std::size_t id = 0; id < uses.size(); ++id) {
      const Value& value = graph.values()[id];
      EXPECT_TRUE(value.role != ValueRole::kInput || uses[id] > 0) << i;
      EXPECT_TRUE(std::isfinite(value.range.low) && std::isfinite(value.range.high)) << i;
    }
    if (!sampler.any_shape()) continue;
    // The graph is valid at any value of its symbolic sizes.
    ++any_shape;
    std::vector<std::int64_t> sizes;
    for (const SizeVariable& size : graph.sizes()) sizes.push_back(size.value + 5 * size.symbolic);
    FollowFormulas(graph, sizes);
    EXPECT_TRUE(AtSizes(graph, sizes, &other)) << i;
  }
  EXPECT_EQ(levels, (std::set{1, 2, 3, 4}));
  EXPECT_GT(any_shape, 150);
}

// Independent sizes must not be tied because they are equal by chance.
TEST(GraphSampler, SizesAreToldApart) {
  GraphSampler sampler({.seed = 6, .levels = {3, 4}});
  int cuts = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::string text = TextAt(&sampler, i);
    const OperatorGraph& graph = sampler.large();
    for (const SizeVariable& size : graph.sizes()) {
      EXPECT_TRUE(size.name != "batch_size" || size.value != size.small) << text;
    }
    // A literal would keep its value when the sizes around it are reduced.
    for (std::size_t at = text.find("[:, "); at != text.npos; at = text.find("[:, ", at + 1)) {
      const std::string place = text.substr(at, text.find(']', at) - at);
      if (place.find(':', 4) == place.npos) continue;
      ++cuts;
      EXPECT_TRUE(place.find("self.half_") != place.npos || place.find("self.seq_len") != place.npos)
          << place << '\n' << text;
    }
    EXPECT_EQ(text.find(", q.size(1))"), text.npos) << text;
  }
  EXPECT_GT(cuts, 50);
}

TEST(GraphSampler, TargetsHold) {
  SamplerOptions options{.seed = 6, .levels = {1, 2}};
  options.targets.flops = {1e9, 1e11};
  options.targets.bytes.high = 2e9;
  options.targets.intensity.low = 20;
  GraphSampler sampler(options);
  int found = 0;
  for (int i = 0; i < 100; ++i) {
    if (!sampler.Sample(i)) continue;
    ++found;
    EXPECT_GE(sampler.cost().flops, 1e9);
    EXPECT_LE(sampler.cost().flops, 1e11);
    EXPECT_LE(sampler.cost().bytes, 2e9);
    EXPECT_GE(double(sampler.cost().flops) / double(sampler.cost().bytes), 20);
  }
  EXPECT_GT(found, 60);
}

// Covers the rows of the operator table that tasks can use; dropout is random and cannot be.
TEST(TaskGenerator, StratifiedTasksHaveEveryOperatorOften) {
  constexpr int kEach = 5;
  const int rows = static_cast<int>(Operators().size());
  TaskGenerator tasks({.seed = 9, .levels = {1, 2}, .stratified = true});
  std::map<std::string_view, int> with;
  for (int i = 0; i < 10 * rows; ++i) {
    ASSERT_TRUE(tasks.Next()) << i;
    std::set<std::string_view> names;
    for (const Node& node : tasks.sampler().large().nodes()) names.insert(node.op->name);
    for (const std::string_view name : names) ++with[name];
  }
  std::string rare;
  int often = 0;
  for (const OperatorRow& row : Operators()) {
    often += with[row.name] >= kEach;
    if (with[row.name] < kEach) rare += " " + std::string(row.name);
  }
  EXPECT_GE(often, rows * 97 / 100) << rare;
  EXPECT_EQ(with["dropout"], 0);
}

TEST(TaskGenerator, NoTwoTasksHaveOneGraph) {
  TaskGenerator tasks({.seed = 7, .levels = {1}});
  CanonicalHasher hasher;
  std::set<Digest> hashes;
  std::uint64_t last = 0;
  for (int i = 0; i < 3000; ++i) {
    ASSERT_TRUE(tasks.Next());
    EXPECT_TRUE(hashes.insert(hasher.Hash(tasks.sampler().large())).second) << i;
    EXPECT_GE(tasks.index(), last);
    last = tasks.index();
  }
}

}  // namespace
}  // namespace kernelmill
