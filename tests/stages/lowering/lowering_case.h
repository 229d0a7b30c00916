// Test cases of the lowering: graphs built by hand, the text of their references, and judges for
// the answers.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "corpora/operators/operator_table.h"
#include "generators/lowering/lower_graph.h"
#include "generators/pytorch/pytorch_source.h"
#include "stages/verify/judge/judge.h"
#include "tests/stages/verify/candidate_files.h"

namespace kernelmill {

using NamedAttributes = std::map<std::string_view, Attribute>;

// Builds a graph operator by operator.
class GraphBuilder {
 public:
  std::int16_t Size(std::string_view name, std::int64_t value) {
    return graph_.AddSize({name, value, value, true});
  }
  ValueId Input(std::vector<std::int16_t> sizes, DType dtype = DType::kFloat32,
                InputLayout layout = InputLayout::kContiguous) {
    return graph_.AddInput(dtype, sizes,
                           IsFloating(dtype)       ? Range::Normal(1)
                           : dtype == DType::kBool ? Range::Uniform(0, 1)
                                                   : Range::Uniform(-9, 9),
                           layout);
  }
  ValueId Within(std::vector<std::int16_t> sizes, double low, double high) {
    return graph_.AddInput(DType::kFloat32, sizes, Range::Uniform(low, high));
  }
  ValueId Indices(std::vector<std::int16_t> sizes, std::int64_t below) {
    return graph_.AddInput(DType::kInt64, sizes, Range::Uniform(0, double(below - 1)));
  }
  // Attributes that are not named keep their defaults. Returns the first result.
  ValueId Apply(std::string_view name, std::vector<ValueId> operands,
                const NamedAttributes& attributes = {}) {
    const OperatorRow* const row = FindOperator(name);
    EXPECT_NE(row, nullptr) << name;
    if (row == nullptr) return kAbsent;
    std::vector<Attribute> all;
    for (const AttributeRow& attribute : row->attributes) {
      const auto given = attributes.find(attribute.name);
      all.push_back(given == attributes.end() ? attribute.default_value : given->second);
    }
    for (const auto& [key, value] : attributes) {
      EXPECT_TRUE(std::any_of(row->attributes.begin(), row->attributes.end(),
                              [&](const AttributeRow& one) { return one.name == key; }))
          << name << " has no " << key;
    }
    const ValueId result = graph_.Apply(*row, operands, all);
    EXPECT_NE(result, kAbsent) << name;
    return result;
  }
  void Outputs(const std::vector<ValueId>& ids) { graph_.SetOutputs(ids); }
  const OperatorGraph& graph() const { return graph_; }

 private:
  OperatorGraph graph_;
};

inline Attribute Ints(std::vector<std::int64_t> values) { return Attribute::Integers(values); }
inline Attribute Int(std::int64_t value) { return Attribute::Integer(value); }
inline Attribute Yes() { return Attribute::Flag(true); }

struct LoweringCase {
  std::string name;
  void (*build)(GraphBuilder* b);
};

struct BuiltCase {
  GraphBuilder builder;
  std::string reference;
  ModuleText module;

  explicit BuiltCase(const LoweringCase& item, std::uint64_t seed = 1) {
    item.build(&builder);
    PyTorchSource source;
    source.Append(builder.graph(), builder.graph(), {}, seed, SourceSizes::kLarge, &reference);
    module = ModuleTextOfPlan(builder.graph(), builder.graph(), source.plan(), reference,
                              SourceSizes::kLarge);
  }
};

// One judge per backend, for all answers of a test.
class LoweringJudge {
 public:
  explicit LoweringJudge(bool sanitize) : sanitize_(sanitize) {}

  Result<Verdict> Judged(const std::string& reference, const LoweredAnswer& answer) {
    auto judge = judges_.find(answer.backend);
    if (judge == judges_.end()) {
      KM_ASSIGN(JudgeOptions options, PrepareSharedJudging({.backend = answer.backend,
                                                      .contract = kAnyShapeAndLayout,
                                                      .memory = sanitize_,
                                                      .races = sanitize_}));
      KM_ASSIGN(Judge started, Judge::Start(std::move(options)));
      judge = judges_.emplace(answer.backend, std::move(started)).first;
    }
    return judge->second.Verify(reference, answer.text);
  }

  void ExpectCorrect(const std::string& reference, const LoweredAnswer& answer) {
    const Result<Verdict> verdict = Judged(reference, answer);
    ASSERT_TRUE(verdict.ok()) << verdict.status().message();
    EXPECT_EQ(StatusName(verdict->status), "correct")
        << verdict->ToJson().Pretty() << answer.text << reference;
  }

 private:
  bool sanitize_;
  std::map<const KernelBackend*, Judge> judges_;
};

}  // namespace kernelmill
