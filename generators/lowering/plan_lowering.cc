#include "generators/lowering/plan_lowering.h"

#include <algorithm>
#include <map>

#include "generators/lowering/fusion_group.h"
#include "generators/lowering/operator_class.h"
#include "generators/lowering/strategy.h"
#include "generators/lowering/view_text.h"
#include "manifests/is_one_of.h"

namespace kernelmill {
namespace {

constexpr std::size_t kMaxNameParts = 4;

// For example "linear_relu_mul".
std::string FunctionWord(const OperatorGraph& graph, const FusionGroup& group) {
  std::string word;
  for (std::size_t i = 0; i < group.nodes.size() && i < kMaxNameParts; ++i) {
    word += (i == 0 ? "" : "_") + std::string(graph.nodes()[group.nodes[i]].op->name);
  }
  return word + (group.nodes.size() > kMaxNameParts ? "_fused" : "");
}

// An addition to an obstacle that names a dtype without kernels; empty for other dtypes.
std::string DTypeIfRare(const OperatorGraph& graph, const FusionGroup& group) {
  for (const ValueId id : group.inputs) {
    if (graph.value(id).type.dtype == DType::kFloat64) return " of float64";
  }
  return "";
}

bool Uses(const OperatorGraph& graph, DType dtype) {
  return std::any_of(graph.values().begin(), graph.values().end(),
                     [&](const Value& value) { return value.type.dtype == dtype; });
}

// Whether `text` has all lines of `part`, in their order.
bool HasLinesOf(std::string_view text, std::string_view part) {
  while (!part.empty()) {
    const std::string_view line = part.substr(0, part.find('\n') + 1);
    if (line.empty()) return text.find(part) != text.npos;
    part.remove_prefix(line.size());
    while (!text.starts_with(line)) {
      const std::size_t end = text.find('\n');
      if (end == text.npos) return false;
      text.remove_prefix(end + 1);
    }
    text.remove_prefix(line.size());
  }
  return true;
}

// The code that a strategy wrote for a group, with its function name.
struct WrittenGroup {
  GroupCode code;
  HostFunctionCode host;
  std::vector<GroupScope::Argument> arguments;

  bool IsSameAs(const WrittenGroup& other) const {
    return code.definitions == other.code.definitions && host.HasSameText(other.host);
  }
};

class Planner {
 public:
  Planner(const OperatorGraph& graph, const ModuleText& module, const LoweringOptions& options)
      : graph_(graph), module_(module), options_(options), names_(module.values) {
    names_.resize(graph.values().size());
    used_.resize(graph.values().size());
    for (const Node& node : graph.nodes()) {
      for (const ValueId id : graph.operands(node)) {
        if (id != kAbsent) used_[id] = true;
      }
    }
    for (const ValueId id : graph.outputs()) used_[id] = true;
  }

  LoweringPlanning Plan() {
    FusionPlan fusion = FuseGraph(graph_, {.fuse = options_.fuse, .modules = module_.modules});
    if (fusion.groups.empty()) {
      // If all results are views of inputs, no kernel would run; the views are copied instead.
      fusion = FuseGraph(graph_,
                         {.fuse = options_.fuse, .copy_views = true, .modules = module_.modules});
    }
    plan_.backend = options_.backend;
    plan_.headers = options_.backend->headers;
    if (Uses(graph_, DType::kFloat16)) plan_.headers += options_.backend->half_header;
    if (Uses(graph_, DType::kBFloat16)) plan_.headers += options_.backend->bfloat16_header;
    for (const ForwardLine& line : fusion.lines) {
      if (line.group >= 0) {
        PlanGroup(fusion.groups[line.group]);
      } else {
        PlanView(line.view);
      }
      if (!obstacle_.empty()) return {std::nullopt, obstacle_};
    }
    if (plan_.calls.empty()) return {std::nullopt, "no operator of it computes anything"};
    ShareLongestDefinitions();
    if (const std::string name = AmbiguousDefinition(); !name.empty()) {
      return {std::nullopt, "two kernels need different definitions of " + name};
    }
    for (const ValueId id : graph_.outputs()) plan_.results.push_back(names_[id]);
    return {std::move(plan_), ""};
  }

 private:
  // A function of the plan, and the group for which it was written.
  struct KnownFunction {
    const FusionGroup* group;
    const Strategy* strategy;
    std::optional<WrittenGroup> canonical;  // Set when another group might be equal.
  };

  // A new name for a result in forward().
  std::string NewName() {
    std::string name;
    do {
      name = "h" + std::to_string(++locals_);
    } while (IsOneOf(name, module_.inputs));
    return name;
  }

  void PlanView(int index) {
    const Node& node = graph_.nodes()[index];
    std::vector<std::string> operands;
    for (const ValueId id : graph_.operands(node)) {
      operands.push_back(id == kAbsent ? "None" : names_[id]);
    }
    PlannedLine line;
    line.view = ViewText(graph_, node, operands,
                         static_cast<std::size_t>(index) < module_.attributes.size()
                             ? module_.attributes[index]
                             : std::vector<std::string>());
    if (line.view.empty()) {
      obstacle_ = node.op->name;
      return;
    }
    plan_.views.push_back(index);
    NameParts(node, &line);
    if (!line.results.empty()) plan_.lines.push_back(std::move(line));
  }

  // Names the used results of a view. At other sizes there may be more results.
  void NameParts(const Node& node, PlannedLine* line) {
    int last = -1, used = 0;
    for (int r = 0; r < node.result_count; ++r) {
      if (!used_[node.first_result + r]) continue;
      last = r;
      ++used;
    }
    if (used == 0) return;
    const bool tuple = node.result_count > 1 || node.op->name == "unbind";
    if (tuple && used == 1) {
      line->results = {names_[node.first_result + last] = NewName()};
      line->view += '[' + std::to_string(last) + ']';
      return;
    }
    for (int r = 0; r <= last; ++r) {
      const ValueId id = node.first_result + r;
      line->results.push_back(used_[id] ? names_[id] = NewName() : "_");
    }
    if (last + 1 < node.result_count) line->results.emplace_back("*_");
  }

  const Strategy* Choose(const FusionGroup& group) const {
    std::vector<const Strategy*> fitting;
    for (const Strategy& strategy : AllStrategies()) {
      if (strategy.fits(graph_, group)) fitting.push_back(&strategy);
    }
    return fitting.empty() ? nullptr : fitting[options_.variant % fitting.size()];
  }

  WrittenGroup Write(const FusionGroup& group, const Strategy& strategy,
                     const std::string& word) const {
    GroupScope scope(graph_, group, *options_.backend, names_, word, &module_);
    scope.CompareWith(module_.others);
    WrittenGroup written;
    written.code = strategy.write(&scope);
    for (DeviceDefinition& definition : written.code.definitions) {
      definition.text = WrapLines(definition.text);
    }
    written.code.before_outputs = WrapLines(written.code.before_outputs);
    written.code.after_outputs = WrapLines(written.code.after_outputs);
    written.host = HostFunctionOf(&scope, word + "_forward", written.code);
    written.arguments = scope.arguments();
    return written;
  }
  // Writes a group under a fixed name: two groups with equal code can share one function.
  WrittenGroup WriteCanonical(const FusionGroup& group, const Strategy& strategy) const {
    return Write(group, strategy, "canonical");
  }

  bool HaveSameOperators(const FusionGroup& a, const FusionGroup& b) const {
    return std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(),
                      [&](int i, int j) { return graph_.nodes()[i].op == graph_.nodes()[j].op; });
  }

  // The index of the function of an equal earlier group, or -1. `written` is set in the first case.
  int FindSame(const FusionGroup& group, const Strategy& strategy, WrittenGroup* written) {
    std::optional<WrittenGroup> own;
    for (std::size_t i = 0; i < known_.size(); ++i) {
      KnownFunction& known = known_[i];
      if (!HaveSameOperators(*known.group, group)) continue;
      if (!own) own = WriteCanonical(group, strategy);
      if (!known.canonical) known.canonical = WriteCanonical(*known.group, *known.strategy);
      if (!own->IsSameAs(*known.canonical)) continue;
      *written = *std::move(own);
      return static_cast<int>(i);
    }
    return -1;
  }

  // Adds the function of a group that differs from all earlier ones.
  int AddFunction(const FusionGroup& group, const Strategy& strategy, WrittenGroup* written) {
    const std::string base = FunctionWord(graph_, group);
    const auto taken = [&](const std::string& word) {
      return std::any_of(
          plan_.functions.begin(), plan_.functions.end(),
          [&](const PlannedFunction& function) { return function.name == word + "_forward"; });
    };
    std::string word = base;
    for (int i = 2; taken(word); ++i) word = base + std::to_string(i);
    *written = Write(group, strategy, word);
    plan_.functions.push_back(
        {word + "_forward", written->code.plan.kernels, written->code.definitions, written->host});
    known_.push_back({&group, &strategy, std::nullopt});
    return static_cast<int>(known_.size()) - 1;
  }

  void PlanGroup(const FusionGroup& group) {
    const std::string operators = group.head >= 0 ? std::string(graph_.nodes()[group.head].op->name)
                                                  : OperatorsInWords(graph_, group);
    if (group.outputs.empty()) return;  // No line reads its results.
    if (group.inputs.empty()) {
      obstacle_ = operators + ": without an input";
      return;
    }
    const Strategy* const strategy = Choose(group);
    if (strategy == nullptr) {
      obstacle_ = operators + DTypeIfRare(graph_, group);
      return;
    }
    WrittenGroup written;
    PlannedLine line;
    line.function = FindSame(group, *strategy, &written);
    if (line.function < 0) line.function = AddFunction(group, *strategy, &written);
    for (const ValueId id : written.host.inputs) line.arguments.push_back(names_[id]);
    for (const GroupScope::Argument& argument : written.arguments) {
      line.arguments.push_back(argument.python);
    }
    for (const ValueId id : group.outputs) line.results.push_back(names_[id] = NewName());
    line.call = static_cast<int>(plan_.calls.size());
    AddFacts(group, *strategy, plan_.functions[line.function], written.host.inputs,
             std::move(written.code.plan));
    plan_.lines.push_back(std::move(line));
  }

  void AddFacts(const FusionGroup& group, const Strategy& strategy, const PlannedFunction& function,
                const std::vector<ValueId>& inputs, CallPlan facts) {
    facts.function = function.name;
    facts.kernels = function.kernels;
    facts.strategy = strategy.name;
    facts.nodes = group.nodes;
    facts.head = group.head;
    for (const int i : group.nodes) facts.cost.flops += graph_.Cost(graph_.nodes()[i]).flops;
    for (const std::vector<ValueId>* ids : {&inputs, &group.outputs}) {
      for (const ValueId id : *ids) facts.cost.bytes += graph_.value(id).type.Bytes();
    }
    plan_.calls.push_back(std::move(facts));
  }

  // Gives functions that define a name with more and with fewer members the definition with more.
  void ShareLongestDefinitions() {
    std::map<std::string, DeviceDefinition*> longest;
    for (PlannedFunction& function : plan_.functions) {
      for (DeviceDefinition& definition : function.definitions) {
        const auto [known, added] = longest.emplace(definition.name, &definition);
        if (!added && HasLinesOf(definition.text, known->second->text)) known->second = &definition;
      }
    }
    for (PlannedFunction& function : plan_.functions) {
      for (DeviceDefinition& definition : function.definitions) {
        const std::string& other = longest.at(definition.name)->text;
        if (HasLinesOf(other, definition.text)) definition.text = other;
      }
    }
  }

  // A name that two functions define differently; empty when there is none.
  std::string AmbiguousDefinition() const {
    std::map<std::string, const std::string*> texts;
    for (const PlannedFunction& function : plan_.functions) {
      for (const DeviceDefinition& definition : function.definitions) {
        const auto [known, added] = texts.emplace(definition.name, &definition.text);
        if (!added && *known->second != definition.text) return definition.name;
      }
    }
    return "";
  }

  const OperatorGraph& graph_;
  const ModuleText& module_;
  const LoweringOptions& options_;
  std::vector<std::string> names_;    // The Python names of values, by ValueId.
  std::vector<bool> used_;            // By ValueId.
  std::vector<KnownFunction> known_;  // By index into plan_.functions.
  int locals_ = 0;
  std::string obstacle_;
  LoweringPlan plan_;
};

}  // namespace

LoweringPlanning PlanLowering(const OperatorGraph& graph, const ModuleText& module,
                              const LoweringOptions& options) {
  return Planner(graph, module, options).Plan();
}

}  // namespace kernelmill
