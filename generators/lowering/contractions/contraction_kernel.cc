#include "generators/lowering/contractions/contraction_kernel.h"

#include "generators/lowering/element_writer.h"

namespace kernelmill {

std::string EpilogueText(GroupScope* scope, const ContractionSpec& spec) {
  const std::string type = scope->Scalar(scope->head().first_result).compute;
  // The sum itself needs no second name.
  const bool sum = spec.result == "acc" && spec.type == type;
  const std::string result = sum ? "acc" : "result";
  std::string text = sum ? "" : "const " + type + " result = " + spec.result + ";\n";
  text += "const " + scope->index() + " at = " + spec.position + ";\n";
  text += StoreOutputs(scope, "at", result);
  if (spec.has_result.empty()) return text;
  return FillHoles("if (@exists@) {\n  @text@\n}\n", {{"exists", spec.has_result}, {"text", text}});
}

std::string IndexLine(const GroupScope& scope, const std::string& code, const std::string& index,
                      const std::string& value) {
  return UsesName(code, index) ? "const " + scope.index() + ' ' + index + " = " + value + ";\n" : "";
}

std::string AxisLines(const GroupScope& scope, const ContractionSpec& spec,
                      const std::string& code) {
  return spec.group.Decoded(scope, "group", code) + spec.m.Decoded(scope, "m", code) +
         spec.n.Decoded(scope, "n", code);
}

CallPlan PlanOfContraction(const GroupScope& scope, const ContractionSpec& spec,
                           const std::string& kernel) {
  CallPlan plan;
  plan.kernels = {kernel};
  plan.index_type = scope.index();
  plan.threads = 256;
  if (!spec.matrices.empty()) plan.reasons.push_back({"a sum of products", spec.matrices});
  if (scope.group().nodes.size() > 1) {
    plan.reasons.push_back(
        {"what follows happens in registers", "the sum is finished there, so that " +
                                                  OperatorsInWords(scope.graph(), scope.group()) +
                                                  " cost no further pass over memory"});
  }
  return plan;
}

std::string CommentIntroOf(const GroupScope& scope) {
  return "Computes " + OperatorsInWords(scope.graph(), scope.group());
}

std::string MultiplyAddText(const ContractionSpec& spec, const std::string& a) {
  const std::string product = "acc += " + a + " * " + spec.b.value + ";\n";
  // Statements that both factors have in common are written once.
  std::string statements = spec.b.statements;
  for (std::size_t begin = 0; begin < spec.a.statements.size();) {
    const std::size_t end = spec.a.statements.find('\n', begin) + 1;
    const std::string line = spec.a.statements.substr(begin, end - begin);
    if (spec.b.statements.find(line) == std::string::npos) statements = line + statements;
    begin = end;
  }
  // Where the first factor is zero, the product is zero too.
  if (spec.b.condition.empty()) return statements + product;
  return statements + FillHoles("if (@condition@) {\n  @product@\n}\n",
                                {{"condition", spec.b.condition}, {"product", product}});
}

}  // namespace kernelmill
