// The decisions that make one module out of many possible texts: which idiom an operator is written
// in, what is written inside what, and what everything is called.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/operators/operator_graph.h"
#include "generators/pytorch/spelling.h"

namespace kernelmill {

// What the author of a graph calls things. Where it is shorter than the graph, or a word is empty,
// the plan finds names of its own.
struct GraphNames {
  std::vector<std::string_view> values;  // By ValueId: "residual", "attn".
  std::vector<std::string_view> nodes;   // By node, where a module holds it: "query", "downsample".

  void Clear() {
    values.clear();
    nodes.clear();
  }
};

// A name that may end in a number: "conv", "conv2".
struct SourceName {
  std::string_view word;
  std::int32_t number = 0;  // 0: none.

  void AppendTo(std::string* text) const;
  std::string Text() const;
  friend bool operator==(const SourceName&, const SourceName&) = default;
};

struct PlannedNode {
  Spelling spelling;
  SourceName member;       // Of self, where the spelling is a module.
  std::int32_t statement;  // The node in whose statement it is written: itself, or its user's.
  bool hoisted = false;    // Its attributes are arguments of __init__.
  // Of the last of an nn.Sequential: its first; of those before it, -1; else the node itself.
  std::int32_t first = 0;

  bool IsInSequence() const { return first < 0; }
  bool IsInlined(std::int32_t self) const { return statement != self; }
};

struct PlannedValue {
  std::int32_t uses = 0;
  std::int32_t last_use = -1;  // The statement; that of outputs lies beyond all.
  SourceName name;
  SourceName first_name;  // Of inputs: as forward lists it.
};

class SourcePlan {
 public:
  void Make(const OperatorGraph& graph, const GraphNames& names, std::uint64_t seed);

  const PlannedNode& node(int index) const { return nodes_[index]; }
  // A value's name changes where an author moves it: ask while writing forward, in order.
  const PlannedValue& value(ValueId id) const { return values_[id]; }
  std::span<const ValueId> inputs() const { return inputs_; }
  std::span<const ValueId> free_parameters() const { return free_parameters_; }

  // Names the results of a statement's node; statements in order. A value that has to make room for
  // them ("residual = x" comes before) gets its new name, its old one going to `old_name`.
  ValueId NameResults(int node, SourceName* old_name);
  // The one result of several that is taken by its index; -1 where all have names.
  int OnlyResult(int node) const;
  bool returns_expression() const { return returns_expression_; }

 private:
  void CountUses();
  void DrawStyle();
  void ChooseSpellings();
  void ChooseInlined();
  void ChooseSequences();
  // Whether a module alone goes from one value to the next, which nothing else uses.
  bool IsLink(int node) const;
  void NameMembers();
  void NameInputs();
  bool FitsRank(const Node& node, const Spelling& spelling) const;
  bool CanBeWritten(const Node& node, const Spelling& spelling) const;
  Spelling Choose(const Node& node);
  Spelling ChooseAnew(const Node& node);
  std::string_view Hint(ValueId id) const;
  bool IsTaken(const SourceName& name, int statement) const;
  SourceName Free(std::string_view word, int statement) const;
  // The value whose name a chain of calls goes on under.
  ValueId ChainStart(const Node& node) const;

  const OperatorGraph* graph_ = nullptr;
  const GraphNames* names_ = nullptr;
  Draw draw_{0};
  std::vector<PlannedNode> nodes_;
  std::vector<PlannedValue> values_;
  std::vector<ValueId> inputs_, free_parameters_;
  std::vector<ValueId> named_;  // Those whose names are taken, with some that no longer are.
  std::vector<std::int32_t> user_, depth_;
  struct Members {
    std::string_view word;
    std::int32_t count, first;
  };
  std::vector<Members> members_;
  // The same operator is mostly written the same way.
  std::vector<std::pair<const OperatorRow*, Spelling>> habits_;

  // How this author writes.
  double modules_ = 0;        // How readily an operator without parameters becomes a module.
  double methods_ = 0;        // x.relu() rather than torch.relu(x).
  double nested_ = 0;         // F.relu(self.bn(self.conv(x))) rather than three statements.
  bool keeps_chain_ = false;  // `residual = x` before x goes on, rather than `out = …` beside x.
  bool returns_expression_ = false;
  bool hoists_ = false;
  bool sequences_ = false;  // nn.Sequential, where modules follow on each other.
  std::string_view residual_;
  std::uint64_t style_word_ = 0;
};

}  // namespace kernelmill
