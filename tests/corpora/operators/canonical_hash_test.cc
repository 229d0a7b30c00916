#include "corpora/operators/canonical_hash.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace kernelmill {
namespace {

bool SameType(const OperatorUse& use, std::vector<TensorType>* results) {
  results->push_back(use.operand(0));
  return true;
}

bool TwoOfSameType(const OperatorUse& use, std::vector<TensorType>* results) {
  results->assign(2, use.operand(0));
  return true;
}

OperatorRow Row(std::string_view name, int operands, bool commutative = false) {
  OperatorRow row;
  row.name = name;
  row.operands.assign(operands, {"x"});
  row.infer = SameType;
  row.commutative = commutative;
  return row;
}

const std::array<OperatorRow, 4>& Rows() {
  static const std::array<OperatorRow, 4> rows = [] {
    OperatorRow split = Row("split", 1);
    split.infer = TwoOfSameType;
    OperatorRow scale = Row("scale", 1);
    scale.attributes = {{"by"}};
    return std::array{scale, Row("sub", 2), Row("add", 2, true), split};
  }();
  return rows;
}

// A graph in a form that is easy to modify: sources by type, nodes by index into Rows().
struct Plan {
  struct Item {
    int row = 0, attribute = 0;
    std::vector<std::pair<int, int>> operands;  // (item, result); sources are items -1, -2, …
    friend bool operator==(const Item&, const Item&) = default;
  };
  std::vector<int> sources;  // One size for each.
  std::vector<Item> nodes;
  int output = 0;  // The index of a node, whose first result is the output.
};

Plan RandomPlan(std::mt19937* random, int max_nodes) {
  const auto draw = [&](int count) { return int((*random)() % count); };
  Plan plan;
  plan.sources.resize(1 + draw(3));
  for (int& size : plan.sources) size = 4;
  const int nodes = 1 + draw(max_nodes);
  for (int i = 0; i < nodes; ++i) {
    Plan::Item item;
    item.row = draw(4);
    item.attribute = item.row == 0 ? draw(2) : 0;
    const int operands = item.row == 1 || item.row == 2 ? 2 : 1;
    for (int j = 0; j < operands; ++j) {
      const int at = draw(i + int(plan.sources.size()));
      if (at < i) {
        item.operands.emplace_back(at, plan.nodes[at].row == 3 ? draw(2) : 0);
      } else {
        item.operands.emplace_back(-1 - (at - i), 0);
      }
    }
    plan.nodes.push_back(item);
  }
  plan.output = nodes - 1;
  return plan;
}

OperatorGraph Made(const Plan& plan) {
  OperatorGraph graph;
  std::vector<ValueId> sources, nodes;
  for (const int size : plan.sources) {
    sources.push_back(graph.AddValue({DType::kFloat32, {size}}, ValueRole::kInput, kAnyValue));
  }
  for (const Plan::Item& item : plan.nodes) {
    std::vector<ValueId> operands;
    for (const auto& [at, result] : item.operands) {
      operands.push_back(at < 0 ? sources[-1 - at] : nodes[at] + result);
    }
    const Attribute attribute = Attribute::Integer(item.attribute);
    const OperatorRow& row = Rows()[item.row];
    nodes.push_back(graph.Apply(row, operands, std::span(&attribute, row.attributes.size())));
  }
  const ValueId output = nodes[plan.output];
  graph.SetOutputs(std::span(&output, 1));
  return graph;
}

// The same graph in another order and with commutative operands exchanged.
Plan Shuffled(const Plan& plan, std::mt19937* random) {
  Plan result;
  std::vector<int> source_place(plan.sources.size()), node_place(plan.nodes.size(), -1);
  std::iota(source_place.begin(), source_place.end(), 0);
  std::shuffle(source_place.begin(), source_place.end(), *random);
  result.sources.resize(plan.sources.size());
  for (std::size_t i = 0; i < plan.sources.size(); ++i) {
    result.sources[source_place[i]] = plan.sources[i];
  }
  while (result.nodes.size() < plan.nodes.size()) {
    const std::size_t at = (*random)() % plan.nodes.size();
    const Plan::Item& item = plan.nodes[at];
    bool ready = node_place[at] < 0;
    for (const auto& [operand, ignored] : item.operands) {
      ready = ready && (operand < 0 || node_place[operand] >= 0);
    }
    if (!ready) continue;
    node_place[at] = int(result.nodes.size());
    Plan::Item moved = item;
    for (auto& [operand, ignored] : moved.operands) {
      operand = operand < 0 ? -1 - source_place[-1 - operand] : node_place[operand];
    }
    if (item.row == 2 && (*random)() % 2) std::swap(moved.operands[0], moved.operands[1]);
    result.nodes.push_back(moved);
  }
  result.output = node_place[plan.output];
  return result;
}

bool Isomorphic(const Plan& a, const Plan& b) {
  if (a.sources.size() != b.sources.size() || a.nodes.size() != b.nodes.size()) return false;
  std::vector<int> sources(a.sources.size()), nodes(a.nodes.size());
  std::iota(sources.begin(), sources.end(), 0);
  do {
    std::iota(nodes.begin(), nodes.end(), 0);
    do {
      bool same = nodes[a.output] == b.output;
      for (std::size_t i = 0; same && i < a.sources.size(); ++i) {
        same = a.sources[i] == b.sources[sources[i]];
      }
      for (std::size_t i = 0; same && i < a.nodes.size(); ++i) {
        Plan::Item image = a.nodes[i];
        for (auto& [operand, ignored] : image.operands) {
          operand = operand < 0 ? -1 - sources[-1 - operand] : nodes[operand];
        }
        const Plan::Item& other = b.nodes[nodes[i]];
        same = image == other;
        if (!same && image.row == 2) {
          std::swap(image.operands[0], image.operands[1]);
          same = image == other;
        }
      }
      if (same) return true;
    } while (std::next_permutation(nodes.begin(), nodes.end()));
  } while (std::next_permutation(sources.begin(), sources.end()));
  return false;
}

TEST(CanonicalHash, OrderAndExchangedOperandsDoNotCount) {
  std::mt19937 random(1);
  CanonicalHasher hasher;
  for (int i = 0; i < 2000; ++i) {
    const Plan plan = RandomPlan(&random, 24);
    EXPECT_EQ(hasher.Hash(Made(plan)), hasher.Hash(Made(Shuffled(plan, &random)))) << i;
  }
}

TEST(CanonicalHash, EqualExactlyForIsomorphicGraphs) {
  std::mt19937 random(2);
  CanonicalHasher hasher;
  std::vector<Plan> plans;
  std::vector<Digest> hashes;
  for (int i = 0; i < 160; ++i) {
    plans.push_back(RandomPlan(&random, 4));
    hashes.push_back(hasher.Hash(Made(plans.back())));
  }
  int equal = 0;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool isomorphic = Isomorphic(plans[i], plans[j]);
      EXPECT_EQ(isomorphic, hashes[i] == hashes[j]) << i << " and " << j;
      equal += isomorphic;
    }
  }
  EXPECT_GT(equal, 50);  // Both outcomes occurred.
}

TEST(CanonicalHash, EachThingThatGraphsAreMadeOfCounts) {
  const Plan base{
      {4, 4},
      {{0, 1, {{-1, 0}}}, {2, 0, {{0, 0}, {-2, 0}}}, {3, 0, {{1, 0}}}, {1, 0, {{2, 0}, {2, 1}}}},
      3};
  std::vector<Plan> others(8, base);
  others[0].nodes[0].row = 3, others[0].nodes[0].attribute = 0;  // Another operator.
  others[1].nodes[0].attribute = 0;                              // Another attribute.
  others[2].sources[1] = 1;                                      // Another type.
  others[3].nodes[1].operands[1] = {-1, 0};                      // Another edge.
  others[4].nodes[3].operands = {{2, 1}, {2, 0}};                // Another order of operands.
  others[5].nodes[3].operands = {{2, 0}, {2, 0}};                // Another result of the same node.
  others[6].output = 2;                                          // Another output.
  others[7].sources.push_back(4);                                // An additional unused input.
  CanonicalHasher hasher;
  const Digest hash = hasher.Hash(Made(base));
  for (std::size_t i = 0; i < others.size(); ++i) {
    EXPECT_NE(hasher.Hash(Made(others[i])), hash) << i;
  }
  EXPECT_EQ(hasher.Hash(Made(others[2]), /*shapes=*/false), hasher.Hash(Made(base), false));
  EXPECT_NE(hasher.Hash(Made(others[1]), false), hasher.Hash(Made(base), false));
}

// Sums of many equal branches have more orders than could be tried.
TEST(CanonicalHash, ManyTiesAreToldApartQuickly) {
  Plan plan;
  for (int i = 0; i < 16; ++i) plan.sources.push_back(4);
  for (int i = 0; i < 8; ++i) plan.nodes.push_back({2, 0, {{-1 - 2 * i, 0}, {-2 - 2 * i, 0}}});
  for (int step = 8, first = 0; step > 1; step /= 2) {
    for (int i = 0; i < step; i += 2) {
      plan.nodes.push_back({2, 0, {{first + i, 0}, {first + i + 1, 0}}});
    }
    first += step;
  }
  plan.output = int(plan.nodes.size()) - 1;
  std::mt19937 random(3);
  EXPECT_EQ(CanonicalHash(Made(plan)), CanonicalHash(Made(Shuffled(plan, &random))));
}

}  // namespace
}  // namespace kernelmill
