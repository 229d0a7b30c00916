#include "generators/lowering/host_function.h"

#include <algorithm>

namespace kernelmill {
namespace {

// Breaks a condition into lines of at most 100 columns.
std::string Wrapped(std::string condition) {
  constexpr std::size_t kColumns = 80;
  std::size_t line = 0;
  for (std::size_t at = condition.find(" && "); at != condition.npos;
       at = condition.find(" && ", at + 4)) {
    const std::size_t end = std::min(condition.find(" && ", at + 4), condition.size());
    if (end - line <= kColumns) continue;
    condition.replace(at, 4, " &&\n      ");
    line = at + 4;
  }
  return condition;
}

// The lines of `text` that do not occur in `known`.
std::string LinesBeside(std::string_view text, std::string_view known) {
  std::string lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    const std::string_view line = text.substr(at, end - at);
    if (known.find(line) == known.npos) lines += line;
    at = end;
  }
  return lines;
}

// A condition that is true when there is nothing to compute. One output is tested for each shape.
std::string IsEmptyText(const GroupScope& scope) {
  std::vector<std::string> conditions;
  std::vector<Shape> seen;
  for (const ValueId id : scope.group().outputs) {
    const Shape& shape = scope.TypeOf(id).shape;
    if (std::find(seen.begin(), seen.end(), shape) != seen.end()) continue;
    seen.push_back(shape);
    conditions.push_back(scope.TensorName(id) + ".numel() == 0");
  }
  return Wrapped(Join(conditions, " && "));
}

// Makes inputs contiguous, except those that kernels read by their strides.
std::string Contiguous(const GroupScope& scope, const std::vector<ValueId>& inputs) {
  std::string text;
  for (const ValueId id : inputs) {
    const std::string& name = scope.TensorName(id);
    if (!scope.IsStrided(id)) text += name + " = " + name + ".contiguous();\n";
  }
  return text;
}

std::string Allocation(GroupScope* scope) {
  const ValueId first = scope->group().inputs[0];
  const DType like = scope->TypeOf(first).dtype;
  const std::string options = scope->TensorName(first) + ".options()";
  std::string text;
  for (const ValueId id : scope->group().outputs) {
    const bool same = scope->TypeOf(id).dtype == like;
    ValueId like_this = scope->LayoutOf(id);
    // Another input with strides of its own would pass them on.
    if (like_this == kAbsent && same && !scope->IsStrided(first) &&
        scope->Sizes(id) == scope->Sizes(first)) {
      like_this = first;
    }
    if (like_this != kAbsent) {
      text += "auto " + scope->TensorName(id) + " = torch::empty_like(" +
              scope->TensorName(like_this) + ");\n";
      continue;
    }
    text += CallText("auto " + scope->TensorName(id) + " = torch::empty({", scope->Sizes(id), "}, ") +
            options + (same ? "" : ".dtype(" + scope->Scalar(id).dtype + ')') + ");\n";
  }
  return text;
}

// A check that the element counts fit the kernels' index type; empty if it cannot fail.
std::string LimitCheck(const GroupScope& scope, const std::vector<ValueId>& inputs,
                       const std::string& function) {
  if (scope.index() != "int") return "";
  std::vector<std::string> conditions;
  for (const std::vector<ValueId>* ids : {&inputs, &scope.group().outputs}) {
    for (const ValueId id : *ids) conditions.push_back(scope.TensorName(id) + ".numel() <= limit");
  }
  return "// 32-bit indexing is faster; larger tensors are rejected here.\n"
         "constexpr int64_t limit = std::numeric_limits<int>::max() / 2;\n" +
         CallText(
             "TORCH_CHECK(",
             {Wrapped(Join(conditions, " && ")), "\"" + function + ": a tensor is too large\""},
             ");") +
         '\n';
}

}  // namespace

HostFunctionCode HostFunctionOf(GroupScope* scope, const std::string& name, const GroupCode& code) {
  const FusionGroup& group = scope->group();
  const std::string allocation = Allocation(scope);
  const std::string before = scope->HostValues(code.before_outputs + ' ' + allocation);
  // Host values that were declared before the allocation are not declared again.
  const std::string after = LinesBeside(scope->HostValues(code.after_outputs), before);
  // The operator may have inputs that its result does not depend on, such as running statistics.
  const std::string all = before + code.before_outputs + allocation + after + code.after_outputs;
  std::vector<ValueId> inputs = group.inputs;
  std::erase_if(inputs, [&](ValueId id) { return !UsesName(all, scope->TensorName(id)); });
  std::vector<std::string> parameters, outputs;
  for (const ValueId id : inputs) {
    parameters.push_back("torch::Tensor " + scope->TensorName(id));
  }
  // The arguments that the outputs' sizes need are known only now.
  for (const GroupScope::Argument& argument : scope->arguments()) {
    parameters.push_back("int64_t " + argument.name);
  }
  for (const ValueId id : group.outputs) outputs.push_back(scope->TensorName(id));
  const bool one = outputs.size() == 1;
  const std::string type = one ? "torch::Tensor" : "std::vector<torch::Tensor>";
  const std::string head = CallText(type + ' ' + name + '(', parameters, ")");
  return {inputs, head + ";\n",
          FillHoles(R"(
@head@ {
  const @guard@ guard(@first@.device());
  @contiguous@
  @before@
  @prepare@
  @allocation@
  if (@empty@) return @returned@;
  @limit@
  @after@
  @launch@
  return @returned@;
}
)",
                    {{"head", head},
                     {"guard", std::string(scope->backend().device_guard)},
                     {"first", scope->TensorName(inputs[0])},
                     {"contiguous", Contiguous(*scope, inputs)},
                     {"before", before},
                     {"prepare", code.before_outputs},
                     {"allocation", allocation},
                     {"empty", IsEmptyText(*scope)},
                     {"returned", one ? outputs[0] : "{" + Join(outputs, ", ") + "}"},
                     {"limit", LimitCheck(*scope, inputs, name)},
                     {"after", after},
                     {"launch", code.after_outputs}})};
}

}  // namespace kernelmill
