// The choices that turn a graph into one of many possible module texts: the spelling of each
// operator, which calls are nested, and all names. PyTorchSource (pytorch_source.h) makes a plan
// from the graph and a seed, then writes the text by it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/operators/operator_graph.h"
#include "generators/pytorch/spelling.h"

namespace kernelmill {

// Names that the author of a graph gave to its parts. Missing and empty ones are chosen by the
// plan.
struct GraphNames {
  std::vector<std::string_view> values;  // By ValueId: "residual", "attn".
  // By node, for nodes that a module holds: "query", "downsample".
  std::vector<std::string_view> nodes;

  void Clear() {
    values.clear();
    nodes.clear();
  }
};

// A name with an optional number at its end: "conv", "conv2".
struct SourceName {
  std::string_view word;
  std::int32_t number = 0;  // 0 for none.

  void AppendTo(std::string* text) const;
  std::string Text() const;
  friend bool operator==(const SourceName&, const SourceName&) = default;
};

struct PlannedNode {
  Spelling spelling;
  SourceName member;  // The attribute of self, if the spelling is a module.
  // The node in whose statement it is written: itself, or a user of its result.
  std::int32_t statement;
  bool hoisted = false;    // Its attributes are arguments of __init__.
  // For the last node of an nn.Sequential the first one; for the others of the sequence -1;
  // otherwise the node itself.
  std::int32_t first = 0;

  bool IsInSequence() const { return first < 0; }
  bool IsInlined(std::int32_t self) const { return statement != self; }
};

struct PlannedValue {
  std::int32_t uses = 0;
  std::int32_t last_use = -1;  // The statement of its last use; beyond all statements for outputs.
  SourceName name;
  SourceName first_name;  // For inputs: the name in the signature of forward().
};

class SourcePlan {
 public:
  void Make(const OperatorGraph& graph, const GraphNames& names, std::uint64_t seed);

  const PlannedNode& node(int index) const { return nodes_[index]; }
  // A value's name can change when the text reassigns it: call this while writing forward(), in
  // order.
  const PlannedValue& value(ValueId id) const { return values_[id]; }
  std::span<const ValueId> inputs() const { return inputs_; }
  std::span<const ValueId> free_parameters() const { return free_parameters_; }

  // Names the results of a statement's node; call it for the statements in order. If a value must
  // give up its name ("residual = x" is written first), it gets a new name, and `old_name` its old
  // one.
  ValueId NameResults(int node, SourceName* old_name);
  // The index of the only result that is used, which is then written as `[index]`; 0 for an
  // operator with one result, and -1 when the results are unpacked into names.
  int OnlyResult(int node) const;
  bool returns_expression() const { return returns_expression_; }

 private:
  void CountUses();
  void DrawStyle();
  void ChooseSpellings();
  void ChooseInlined();
  void ChooseSequences();
  // Whether the node is a module with one operand and one result, so that it can be part of an
  // nn.Sequential.
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
  // The value whose name a chain of calls reuses.
  ValueId ChainStart(const Node& node) const;

  const OperatorGraph* graph_ = nullptr;
  const GraphNames* names_ = nullptr;
  Draw draw_{0};
  std::vector<PlannedNode> nodes_;
  std::vector<PlannedValue> values_;
  std::vector<ValueId> inputs_, free_parameters_;
  // Values whose names are taken, including some whose names are free again.
  std::vector<ValueId> named_;
  std::vector<std::int32_t> user_, depth_;
  struct Members {
    std::string_view word;
    std::int32_t count, first;
  };
  std::vector<Members> members_;
  // An author mostly writes the same operator in the same way.
  std::vector<std::pair<const OperatorRow*, Spelling>> habits_;

  // The style of this author.
  double modules_ = 0;  // How often an operator without parameters is written as a module.
  double methods_ = 0;  // How often x.relu() is preferred to torch.relu(x).
  // How often calls are nested: F.relu(self.bn(self.conv(x))) instead of three statements.
  double nested_ = 0;
  // `residual = x` before x is reassigned, instead of `out = …` beside x.
  bool keeps_chain_ = false;
  bool returns_expression_ = false;
  bool hoists_ = false;
  bool sequences_ = false;  // Whether consecutive modules become an nn.Sequential.
  std::string_view residual_;
  std::uint64_t style_word_ = 0;
};

}  // namespace kernelmill
