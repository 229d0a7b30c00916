#include "generators/pytorch/source_plan.h"

#include "generators/pytorch/call_words.h"
#include "generators/pytorch/python_text.h"

namespace kernelmill {
namespace {

constexpr std::string_view kResiduals[] = {"residual", "identity", "shortcut", "skip"};

bool IsMade(const OperatorGraph& graph, ValueId id, int node) {
  if (id == kAbsent) return false;
  const Value& value = graph.value(id);
  return value.node == node && !value.is_computed();
}

// Whether its arguments may be sizes of its operand: x.reshape(x.size(0), -1).
bool ReadsSizes(const Node& node) {
  const std::vector<AttributeRow>& attributes = node.op->attributes;
  return node.op->family == OperatorFamily::kShape && !attributes.empty() &&
         attributes[0].kind == Attribute::Kind::kIntegers && attributes[0].name != "dims";
}

bool HasOwn(const OperatorGraph& graph, const Node& node, int index) {
  const std::span<const ValueId> operands = graph.operands(node);
  return std::any_of(operands.begin(), operands.end(),
                     [&](ValueId id) { return IsMade(graph, id, index); });
}

}  // namespace

void SourceName::AppendTo(std::string* text) const {
  *text += word;
  if (number <= 0) return;
  // The separator keeps the number apart from a digit at the word's end: "fc1_2".
  if (word.back() >= '0' && word.back() <= '9') *text += '_';
  AppendInteger(number, text);
}

std::string SourceName::Text() const {
  std::string text;
  AppendTo(&text);
  return text;
}

void SourcePlan::Make(const OperatorGraph& graph, const GraphNames& names, std::uint64_t seed) {
  graph_ = &graph;
  names_ = &names;
  draw_ = Draw(seed);
  nodes_.assign(graph.nodes().size(), {});
  values_.assign(graph.values().size(), {});
  DrawStyle();
  ChooseSpellings();
  CountUses();
  ChooseSequences();
  ChooseInlined();
  NameMembers();
  NameInputs();
}

void SourcePlan::DrawStyle() {
  constexpr double kModules[] = {0.05, 0.3, 0.9};
  modules_ = kModules[draw_.Index(3)];
  methods_ = draw_.Chance(0.5) ? 0.2 : 0.7;
  nested_ = draw_.Chance(0.5) ? 0.1 : draw_.Chance(0.5) ? 0.4 : 0.7;
  keeps_chain_ = draw_.Chance(0.6);
  returns_expression_ = draw_.Chance(0.35);
  hoists_ = draw_.Chance(0.5);
  sequences_ = draw_.Chance(0.4);
  habits_.clear();
  style_word_ = draw_.Next();
  residual_ = kResiduals[draw_.Index(std::size(kResiduals))];
}

// BatchNorm1d, BatchNorm2d and BatchNorm3d are spellings of the same row.
bool SourcePlan::FitsRank(const Node& node, const Spelling& spelling) const {
  const std::string_view name = spelling.name;
  if (name.size() < 3 || !name.ends_with('d') || node.op->name.ends_with('d')) return true;
  const int spatial = name[name.size() - 2] - '0';
  if (spatial < 1 || spatial > 3) return true;
  const int rank = graph_->value(graph_->operands(node)[0]).type.shape.rank();
  return rank == spatial + 2 || (spatial == 1 && rank == 2);
}

bool SourcePlan::CanBeWritten(const Node& node, const Spelling& spelling) const {
  if (spelling.form == SpellingForm::kSlice) {
    return node.op->name == "slice" || node.op->name == "index";
  }
  if (spelling.name.ends_with('_') || spelling.name.starts_with('_')) return false;
  const int index = static_cast<int>(&node - graph_->nodes().data());
  const bool own = HasOwn(*graph_, node, index);
  const std::span<const Attribute> attributes = graph_->attributes(node);
  if (!FitsRank(node, spelling)) return false;
  switch (spelling.form) {
    case SpellingForm::kModule:
      // nn.Flatten keeps the first dimension by default, torch.flatten does not.
      if (node.op->name == "flatten" && attributes[0].integer() != 1) return false;
      return own || node.op->parameters == nullptr;
    case SpellingForm::kFunction:
      return !own;
    case SpellingForm::kProperty:
    case SpellingForm::kSlice:
      return true;
    case SpellingForm::kMethod:
      return !own && node.op->operands.size() > 0 &&
             node.op->operands[0].role == OperandRow::Role::kInput;
    case SpellingForm::kSign: {
      if (own) return false;
      std::size_t first_number = node.operand_count < 2 && !spelling.unary ? 1 : 0;
      if (first_number == 1 && attributes.empty()) return false;
      for (std::size_t i = first_number; i < attributes.size(); ++i) {
        if (attributes[i] != node.op->attributes[i].default_value) return false;
      }
      return true;
    }
  }
  return false;
}

Spelling SourcePlan::Choose(const Node& node) {
  for (const auto& [op, spelling] : habits_) {
    if (op == node.op && CanBeWritten(node, spelling) && draw_.Chance(0.9)) return spelling;
  }
  const Spelling spelling = ChooseAnew(node);
  habits_.emplace_back(node.op, spelling);
  return spelling;
}

Spelling SourcePlan::ChooseAnew(const Node& node) {
  Spelling chosen;
  double total = 0;
  bool first = true;
  for (const std::string_view full_name : node.op->spellings) {
    const Spelling spelling = SpellingOf(full_name);
    if (!CanBeWritten(node, spelling)) continue;
    double weight = spelling.prefix.size() > 6 && spelling.form == SpellingForm::kFunction
                        ? 0.1
                        : 1;  // torch.special.expit is rarely written.
    if (spelling.form == SpellingForm::kModule) weight = 4 * modules_ / (1.05 - modules_);
    if (spelling.form == SpellingForm::kMethod) weight = 2 * methods_;
    if (spelling.form == SpellingForm::kSign) weight = 12;
    if (spelling.form == SpellingForm::kFunction) weight *= first ? 3 : 0.5;
    first = false;
    total += weight;
    if (draw_.Chance(weight / total)) chosen = spelling;
  }
  return chosen;
}

void SourcePlan::ChooseSpellings() {
  for (std::size_t i = 0; i < nodes_.size(); ++i) nodes_[i].spelling = Choose(graph_->nodes()[i]);
  if (!hoists_) return;
  // Only if a single node has such attributes, because constants are named after their attributes.
  int candidate = -1;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = graph_->nodes()[i];
    const bool module = nodes_[i].spelling.form == SpellingForm::kModule;
    if (node.op->attributes.empty() || (!module && nodes_.size() > 1)) continue;
    if (module || nodes_[i].spelling.form != SpellingForm::kSign) {
      if (candidate >= 0) return;
      candidate = static_cast<int>(i);
    }
  }
  if (candidate >= 0) nodes_[candidate].hoisted = true;
}

bool SourcePlan::IsLink(int index) const {
  const Node& node = graph_->nodes()[index];
  if (nodes_[index].spelling.form != SpellingForm::kModule || node.result_count != 1 ||
      nodes_[index].hoisted || node.op->family == OperatorFamily::kAttention) {
    return false;
  }
  int operands = 0;
  for (const ValueId id : graph_->operands(node)) {
    operands += id != kAbsent && !IsMade(*graph_, id, index);
  }
  return operands == 1;
}

void SourcePlan::ChooseSequences() {
  const auto count = static_cast<int>(nodes_.size());
  for (int i = 0; i < count; ++i) nodes_[i].first = i;
  if (!sequences_) return;
  for (int i = 0; i < count; ++i) {
    int last = i;
    while (last + 1 < count && IsLink(last) && IsLink(last + 1)) {
      const Node& node = graph_->nodes()[last];
      const bool follows = graph_->operands(graph_->nodes()[last + 1])[0] == node.first_result;
      if (!follows || values_[node.first_result].uses != 1) break;
      ++last;
    }
    if (last == i) continue;
    for (int j = i; j < last; ++j) nodes_[j].first = -1;
    nodes_[last].first = i;
    i = last;
  }
}

void SourcePlan::CountUses() {
  for (const Node& node : graph_->nodes()) {
    for (const ValueId id : graph_->operands(node)) {
      if (id != kAbsent) ++values_[id].uses;
    }
  }
  for (const ValueId id : graph_->outputs()) ++values_[id].uses;
}

void SourcePlan::ChooseInlined() {
  const auto count = static_cast<int>(nodes_.size());
  for (const ValueId id : graph_->outputs()) values_[id].last_use = count;
  user_.assign(nodes_.size(), -1);
  depth_.assign(nodes_.size(), 0);
  for (int i = 0; i < count; ++i) {
    for (const ValueId id : graph_->operands(graph_->nodes()[i])) {
      if (id != kAbsent && graph_->value(id).is_computed()) user_[graph_->value(id).node] = i;
    }
  }
  for (int i = 0; i < count; ++i) {
    const Node& node = graph_->nodes()[i];
    nodes_[i].statement = i;
    if (nodes_[i].IsInSequence()) {
      nodes_[i].statement = -1;
      depth_[i + 1] = std::max(depth_[i + 1], depth_[i]);
      continue;
    }
    if (node.result_count != 1 || values_[node.first_result].uses != 1 || user_[i] < 0) continue;
    // A call far from its user, or with a long expression, stays a statement.
    if (user_[i] != i + 1 || depth_[i] >= 2 || !Hint(node.first_result).empty()) continue;
    if (ReadsSizes(graph_->nodes()[i + 1])) continue;
    if (node.op->operands.size() > 0 && nodes_[i + 1].spelling.form != SpellingForm::kSign &&
        graph_->attributes(node).size() > 2 && nodes_[i].spelling.form != SpellingForm::kModule) {
      continue;
    }
    if (!draw_.Chance(nested_)) continue;
    nodes_[i].statement = -1;
    depth_[i + 1] = std::max(depth_[i + 1], depth_[i] + 1);
  }
  for (int i = count; i-- > 0;) {
    if (nodes_[i].statement < 0) nodes_[i].statement = nodes_[user_[i]].statement;
    for (const ValueId id : graph_->operands(graph_->nodes()[i])) {
      if (id == kAbsent) continue;
      values_[id].last_use = std::max(values_[id].last_use, nodes_[i].statement);
    }
  }
}

void SourcePlan::NameMembers() {
  members_.clear();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].spelling.form != SpellingForm::kModule || nodes_[i].IsInSequence()) continue;
    constexpr std::string_view kSequences[] = {"net", "layers", "block", "features"};
    std::string_view word = i < names_->nodes.size() ? names_->nodes[i] : std::string_view();
    if (nodes_[i].first != static_cast<std::int32_t>(i)) {
      word = kSequences[style_word_ % std::size(kSequences)];
    }
    if (word.empty()) word = MemberWord(*graph_->nodes()[i].op, style_word_);
    auto found = std::find_if(members_.begin(), members_.end(),
                              [&](const Members& one) { return one.word == word; });
    if (found == members_.end()) {
      members_.push_back({word, 0, static_cast<std::int32_t>(i)});
      found = members_.end() - 1;
    }
    nodes_[i].member = {word, ++found->count};
  }
  for (const Members& one : members_) {
    if (one.count == 1) nodes_[one.first].member.number = 0;
  }
}

void SourcePlan::NameInputs() {
  inputs_.clear();
  free_parameters_.clear();
  named_.clear();
  int floats = 0;
  for (std::size_t id = 0; id < values_.size(); ++id) {
    const Value& value = graph_->values()[id];
    if (value.role == ValueRole::kInput) {
      inputs_.push_back(static_cast<ValueId>(id));
      floats += IsFloating(value.type.dtype);
    } else if (!value.is_computed() && value.node < 0) {
      free_parameters_.push_back(static_cast<ValueId>(id));
    }
  }
  constexpr std::string_view kFloats[] = {"x", "y", "z"};
  int seen = 0;
  for (const ValueId id : inputs_) {
    const DType dtype = graph_->value(id).type.dtype;
    std::string_view word = Hint(id);
    if (word.empty()) {
      word = dtype == DType::kBool              ? "mask"
             : !IsFloating(dtype) && floats > 0 ? "indices"
             : seen < 3                         ? kFloats[seen++]
                                                : "extra";
    }
    values_[id].name = values_[id].first_name = Free(word, -1);
    named_.push_back(id);
  }
  for (const ValueId id : free_parameters_) {
    const std::string_view word = Hint(id);
    values_[id].name = Free(word.empty() ? "weight" : word, -1);
    named_.push_back(id);
  }
}

std::string_view SourcePlan::Hint(ValueId id) const {
  return std::size_t(id) < names_->values.size() ? names_->values[id] : std::string_view();
}

bool SourcePlan::IsTaken(const SourceName& name, int statement) const {
  return std::any_of(named_.begin(), named_.end(), [&](ValueId id) {
    return values_[id].last_use > statement && values_[id].name == name;
  });
}

SourceName SourcePlan::Free(std::string_view word, int statement) const {
  SourceName name{word, 0};
  while (IsTaken(name, statement)) name.number = name.number == 0 ? 2 : name.number + 1;
  return name;
}

ValueId SourcePlan::ChainStart(const Node& node) const {
  const Node* at = &node;
  for (;;) {
    const std::span<const ValueId> operands = graph_->operands(*at);
    if (operands.empty() || operands[0] == kAbsent) return kAbsent;
    const Value& value = graph_->value(operands[0]);
    if (!value.is_computed()) return value.role == ValueRole::kInput ? operands[0] : kAbsent;
    if (!nodes_[value.node].IsInlined(value.node)) return operands[0];
    at = &graph_->nodes()[value.node];
  }
}

int SourcePlan::OnlyResult(int index) const {
  const Node& node = graph_->nodes()[index];
  if (node.result_count == 1) return 0;
  int used = -1;
  for (int i = 0; i < node.result_count; ++i) {
    if (values_[node.first_result + i].uses == 0) continue;
    if (used >= 0) return -1;
    used = i;
  }
  // `out, _ = self.gru(x)`, but `torch.max(x, dim=1)[0]`.
  return nodes_[index].spelling.form == SpellingForm::kModule ? -1 : used;
}

ValueId SourcePlan::NameResults(int index, SourceName* old_name) {
  const Node& node = graph_->nodes()[index];
  std::erase_if(named_, [&](ValueId id) { return values_[id].last_use < index; });
  ValueId moved = kAbsent;
  const int only = OnlyResult(index);
  if (only < 0) {
    for (int i = 0; i < node.result_count; ++i) {
      const ValueId id = node.first_result + i;
      if (values_[id].uses == 0) {
        values_[id].name = {"_", 0};
        continue;
      }
      const std::string_view hint = Hint(id);
      values_[id].name = Free(hint.empty() ? ResultWord(*node.op, i) : hint, index);
      named_.push_back(id);
    }
    return moved;
  }
  const ValueId id = node.first_result + only;
  PlannedValue& result = values_[id];
  const std::string_view hint = Hint(id);
  const ValueId start = ChainStart(node);
  const bool goes_on = start != kAbsent && IsFloating(graph_->value(start).type.dtype) &&
                       IsFloating(graph_->value(id).type.dtype) &&
                       node.op->family != OperatorFamily::kLoss;
  if (!hint.empty()) {
    result.name = Free(hint, index);
  } else if (goes_on && values_[start].last_use == index) {
    result.name = values_[start].name;
  } else if (goes_on && keeps_chain_ && values_[start].name == SourceName{"x", 0} &&
             !IsTaken({residual_, 0}, index - 1)) {
    // The statement still reads the value under its old name.
    moved = start;
    *old_name = values_[start].name;
    result.name = values_[start].name;
    values_[start].name = {residual_, 0};
  } else {
    result.name = Free(ResultWord(*node.op, draw_.Next()), index);
  }
  named_.push_back(id);
  return moved;
}

}  // namespace kernelmill
