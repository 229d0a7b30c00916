#include "generators/lowering/lower_graph.h"

#include <algorithm>
#include <exception>
#include <map>
#include <set>

#include "generators/lowering/fusion_group.h"
#include "generators/lowering/host_function.h"
#include "generators/lowering/operator_class.h"
#include "generators/lowering/strategy.h"
#include "generators/lowering/view_text.h"

namespace kernelmill {
namespace {

constexpr std::size_t kMaxNameParts = 4;

// "linear_relu_mul"
std::string FunctionWord(const OperatorGraph& graph, const FusionGroup& group) {
  std::string word;
  for (std::size_t i = 0; i < group.nodes.size() && i < kMaxNameParts; ++i) {
    word += (i == 0 ? "" : "_") + std::string(graph.nodes()[group.nodes[i]].op->name);
  }
  return word + (group.nodes.size() > kMaxNameParts ? "_fused" : "");
}

class AnswerWriter {
 public:
  AnswerWriter(const OperatorGraph& graph, const ModuleText& module, const LoweringOptions& options)
      : graph_(graph),
        module_(module),
        options_(options),
        backend_(*options.backend),
        names_(module.values) {
    names_.resize(graph.values().size());
    used_.resize(graph.values().size());
    for (const Node& node : graph.nodes()) {
      for (const ValueId id : graph.operands(node)) {
        if (id != kAbsent) used_[id] = true;
      }
    }
    for (const ValueId id : graph.outputs()) used_[id] = true;
  }

  Lowering Write() {
    FusionPlan plan = FuseGraph(graph_, {.fuse = options_.fuse, .modules = module_.modules});
    if (plan.groups.empty()) {
      // Views of inputs only: no kernel would have written the result.
      plan = FuseGraph(graph_,
                       {.fuse = options_.fuse, .copy_views = true, .modules = module_.modules});
    }
    for (const LoweringStep& step : plan.steps) {
      const bool done =
          step.group >= 0 ? WriteGroup(plan.groups[step.group]) : WriteView(step.view);
      if (!done) return {std::nullopt, refusal_};
    }
    if (answer_.kernels.empty()) return {std::nullopt, "no operator of it computes anything"};
    WriteReturn();
    answer_.backend = options_.backend;
    answer_.text = Text();
    answer_.speed = EstimateSpeed(graph_, answer_.kernels);
    return {std::move(answer_), ""};
  }

 private:
  bool Refuse(const std::string& reason) {
    refusal_ = reason;
    return false;
  }

  // The results' names in forward(): the first operand's word goes on where it is used no more.
  std::string NewName() {
    std::string name;
    do {
      name = "h" + std::to_string(++locals_);
    } while (std::find(module_.inputs.begin(), module_.inputs.end(), name) != module_.inputs.end());
    return name;
  }

  bool WriteView(int index) {
    const Node& node = graph_.nodes()[index];
    std::vector<std::string> operands;
    for (const ValueId id : graph_.operands(node)) {
      operands.push_back(id == kAbsent ? "None" : names_[id]);
    }
    const std::string text = ViewText(graph_, node, operands,
                                      static_cast<std::size_t>(index) < module_.attributes.size()
                                          ? module_.attributes[index]
                                          : std::vector<std::string>());
    if (text.empty()) return Refuse(std::string(node.op->name));
    answer_.views.push_back(index);
    const std::string parts = Parts(node, text);
    if (!parts.empty()) forward_ += parts + '\n';
    return true;
  }

  // Names what is used of a view's parts, of which there may be others at other sizes.
  std::string Parts(const Node& node, const std::string& text) {
    std::vector<std::string> results;
    int last = -1, used = 0;
    for (int r = 0; r < node.result_count; ++r) {
      if (!used_[node.first_result + r]) continue;
      last = r;
      ++used;
    }
    if (used == 0) return "";
    const bool tuple = node.result_count > 1 || node.op->name == "unbind";
    if (tuple && used == 1) {
      names_[node.first_result + last] = NewName();
      return names_[node.first_result + last] + " = " + text + '[' + std::to_string(last) + ']';
    }
    for (int r = 0; r <= last; ++r) {
      const ValueId id = node.first_result + r;
      results.push_back(used_[id] ? names_[id] = NewName() : "_");
    }
    if (last + 1 < node.result_count) results.emplace_back("*_");
    return Join(results, ", ") + " = " + text;
  }

  const Strategy* Choose(const FusionGroup& group) const {
    std::vector<const Strategy*> fitting;
    for (const Strategy& strategy : AllStrategies()) {
      if (strategy.fits(graph_, group)) fitting.push_back(&strategy);
    }
    return fitting.empty() ? nullptr : fitting[options_.variant % fitting.size()];
  }

  bool WriteGroup(const FusionGroup& group) {
    const std::string operators = group.head >= 0 ? std::string(graph_.nodes()[group.head].op->name)
                                                  : OperatorsInWords(graph_, group);
    if (group.outputs.empty()) return true;  // Nothing needs it.
    if (group.inputs.empty()) return Refuse(operators + ": without an input");
    const Strategy* const strategy = Choose(group);
    if (strategy == nullptr) return Refuse(operators + DTypeIfRare(group));
    const std::string word = FunctionWord(graph_, group);
    std::string function = word + "_forward";
    for (int i = 2; functions_.contains(function); ++i) {
      function = word + std::to_string(i) + "_forward";
    }
    std::string kernel_word = function.substr(0, function.size() - 8);
    GroupScope scope(graph_, group, backend_, names_, kernel_word, &module_);
    scope.CompareWith(module_.others);
    GroupCode code = strategy->write(&scope);
    for (std::string* text : {&code.device, &code.prepare, &code.launch}) *text = WrapLines(*text);
    const HostFunction host = HostFunctionOf(&scope, function, code);
    // Two groups that differ in nothing but their names share one function.
    const auto unnamed = [&, own = kernel_word + '_'](std::string text) {
      for (std::size_t at = text.find(own); at != text.npos; at = text.find(own)) {
        text.replace(at, own.size(), "@");
      }
      std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });  // Lines break elsewhere.
      return text;
    };
    const auto [known, added] = by_text_.emplace(unnamed(code.device + host.definition), function);
    function = known->second;
    if (added) {
      functions_.insert(function);
      AddDevice(code.device);
      source_ += '\n' + host.definition;
      declarations_ += host.declaration;
    }
    std::vector<std::string> arguments, results;
    for (const ValueId id : group.inputs) arguments.push_back(names_[id]);
    for (const GroupScope::Argument& argument : scope.arguments()) {
      arguments.push_back(argument.python);
    }
    for (const ValueId id : group.outputs) results.push_back(names_[id] = NewName());
    forward_ += CallText(Join(results, ", ") + " = ops." + function + '(', arguments, ")") + '\n';
    NotePlan(group, *strategy, function, std::move(code.plan));
    return true;
  }

  // What kernels are not written for, where that is why.
  std::string DTypeIfRare(const FusionGroup& group) const {
    for (const ValueId id : group.inputs) {
      if (graph_.value(id).type.dtype == DType::kFloat64) return " of float64";
    }
    return "";
  }

  // Behind the first line that closes a definition: "}" below it, or at the end of a line that
  // began in the first column.
  static std::size_t EndOfDefinition(std::string_view code, std::size_t begin) {
    while (begin < code.size()) {
      const std::size_t end = std::min(code.find('\n', begin), code.size());
      const std::string_view line = code.substr(begin, end - begin);
      const bool closes = line.ends_with('}') || line.ends_with("};");
      if (line.starts_with('}') || (closes && line[0] != ' ' && line[0] != '/')) return end;
      begin = end + 1;
    }
    return code.size();
  }

  // Definitions that several groups bring (a struct, a warp's sum) stand there once.
  void AddDevice(const std::string& device) {
    std::size_t begin = 0;
    while (begin < device.size()) {
      const std::size_t end = EndOfDefinition(device, begin);
      const std::string part = device.substr(begin, end - begin);
      if (parts_.insert(part).second) {
        if (!source_.empty() && !source_.ends_with("\n\n")) source_ += '\n';
        source_ += part + "\n\n";
      }
      begin = device.find_first_not_of('\n', end);
      if (begin == device.npos) break;
    }
  }

  void NotePlan(const FusionGroup& group, const Strategy& strategy, const std::string& function,
                KernelPlan plan) {
    plan.function = function;
    plan.strategy = strategy.name;
    plan.nodes = group.nodes;
    plan.head = group.head;
    for (const int i : group.nodes) plan.cost.flops += graph_.Cost(graph_.nodes()[i]).flops;
    for (const std::vector<ValueId>* ids : {&group.inputs, &group.outputs}) {
      for (const ValueId id : *ids) plan.cost.bytes += graph_.value(id).type.Bytes();
    }
    answer_.kernels.push_back(std::move(plan));
  }

  void WriteReturn() {
    std::vector<std::string> results;
    for (const ValueId id : graph_.outputs()) results.push_back(names_[id]);
    // One result: the call that makes it is what is returned.
    const std::string assigned = results[0] + " = ";
    const std::size_t line = forward_.rfind(assigned);
    if (results.size() == 1 && line != forward_.npos && (line == 0 || forward_[line - 1] == '\n')) {
      forward_.replace(line, assigned.size(), "return ");
      return;
    }
    forward_ += "return " + Join(results, ", ") + '\n';
  }

  bool Uses(DType dtype) const {
    return std::any_of(graph_.values().begin(), graph_.values().end(),
                       [&](const Value& value) { return value.type.dtype == dtype; });
  }

  std::string Text() const {
    std::string functions;
    std::vector<std::string> quoted;
    for (const std::string& name : functions_) quoted.push_back('"' + name + '"');
    std::string headers(backend_.headers);
    if (Uses(DType::kFloat16)) headers += backend_.half_header;
    if (Uses(DType::kBFloat16)) headers += backend_.bfloat16_header;
    std::string arguments;
    for (const std::string& name : module_.inputs) arguments += ", " + name;
    std::string constructor = module_.constructor;
    if (!constructor.empty()) constructor += '\n';
    std::string definitions = module_.definitions;
    if (!definitions.empty()) definitions += "\n\n";
    return Fill(
        R"(
import torch
import torch.nn as nn
@own_imports@
@imports@

@name@_source = r"""
@headers@

@source@
"""

cpp_source = r"""
@declarations@
"""

ops = load_inline(
    name="@extension@",
    cpp_sources=cpp_source,
    @sources@=@name@_source,
    functions=[@functions@],
    @flags@=["-O3"],
)


@definitions@
class ModelNew(@bases@):
@constructor@
    def forward(self@arguments@):
        @forward@
)",
        {{"imports", std::string(backend_.loader_imports)},
         {"own_imports", module_.imports},
         {"definitions", definitions},
         {"bases", module_.bases},
         {"name", std::string(backend_.name)},
         {"headers", headers},
         {"source", Trimmed(source_)},
         {"declarations", declarations_},
         {"extension", functions_.begin()->substr(0, 40) + "_" + std::string(backend_.name)},
         {"sources", std::string(backend_.sources_keyword)},
         {"functions", Join(quoted, ", ")},
         {"flags", std::string(backend_.flags_keyword)},
         {"constructor", constructor},
         {"arguments", arguments},
         {"forward", forward_}});
  }

  static std::string Trimmed(std::string text) {
    while (text.starts_with('\n')) text.erase(0, 1);
    while (text.ends_with('\n')) text.pop_back();
    // One empty line between parts.
    for (std::size_t at = text.find("\n\n\n"); at != text.npos; at = text.find("\n\n\n", at)) {
      text.erase(at, 1);
    }
    return text;
  }

  const OperatorGraph& graph_;
  const ModuleText& module_;
  const LoweringOptions& options_;
  const KernelBackend& backend_;
  std::vector<std::string> names_;  // Of values in Python, by ValueId.
  std::vector<bool> used_;          // By ValueId.
  std::string source_, declarations_, forward_, refusal_;
  std::set<std::string> functions_, parts_;
  std::map<std::string, std::string> by_text_;
  int locals_ = 0;
  LoweredAnswer answer_;
};

}  // namespace

std::string LoweredAnswer::Structure() const {
  std::string text;
  for (const KernelPlan& plan : kernels) {
    text += std::string(plan.strategy) + '(';
    for (const int node : plan.nodes) text += std::to_string(node) + ' ';
    text += ')';
  }
  return text;
}

Lowering LowerGraph(const OperatorGraph& graph, const ModuleText& module,
                    const LoweringOptions& options) {
  // A graph comes from whatever a repository holds: one that nobody thought of is refused.
  try {
    return AnswerWriter(graph, module, options).Write();
  } catch (const std::exception& error) {
    Lowering lowering;
    lowering.refusal = std::string("the lowering failed: ") + error.what();
    return lowering;
  }
}

std::vector<LoweredAnswer> LowerInWays(const OperatorGraph& graph, const ModuleText& module,
                                       const KernelBackend& backend, int count,
                                       std::string* refusal) {
  std::vector<LoweredAnswer> answers;
  std::set<std::string> structures;
  std::string why;
  constexpr int kVariants = 8;
  for (const bool fuse : {true, false}) {
    for (int variant = 0; variant < kVariants; ++variant) {
      if (static_cast<int>(answers.size()) == count) return answers;
      Lowering lowering =
          LowerGraph(graph, module, {.backend = &backend, .fuse = fuse, .variant = variant});
      if (why.empty()) why = lowering.refusal;
      if (!lowering.answer || !structures.insert(lowering.answer->Structure()).second) continue;
      answers.push_back(*std::move(lowering.answer));
    }
  }
  if (answers.empty() && refusal != nullptr) *refusal = why;
  return answers;
}

}  // namespace kernelmill
