// Bugs in the arithmetic: the right elements are accessed, and the values are wrong.
#include <cstdlib>
#include <map>

#include "generators/perturbation/bug.h"

namespace kernelmill {
namespace {

using Sites = std::vector<BugSite>;

// Whether the node is, or is part of, the initializer of a floating-point variable.
bool IsFloatValue(const SyntaxNode& node) {
  const SyntaxNode declaration = EnclosingNode(node, "declaration");
  const std::string_view type = TextOf(declaration.Field("type"));
  return type == "float" || type == "double";
}

void FindWrongIdentities(const AnswerTrees& answer, Sites* sites) {
  ForEachIn(answer, true, "identifier", [&](const SyntaxNode& node, const CudaFunction&) {
    if (node.Text() != "INFINITY") return;
    SyntaxNode value = node;
    if (value.Parent().Is("unary_expression")) value = value.Parent();
    const SyntaxNode owner = value.Parent();
    if (owner.Is("init_declarator") || owner.Is("initializer_list")) {
      sites->push_back({Replaced(value, "0.0f")});
    }
  });
}

// Whether the function adds something to the variable or to an element of it.
bool IsSum(const CudaFunction& function, std::string_view name) {
  for (const SyntaxNode& node : NodesOf(function.body, "assignment_expression")) {
    if (OperatorOf(node) == "+=" && MentionsName(node.Field("left"), name)) return true;
  }
  return false;
}

void FindUninitialisedSums(const AnswerTrees& answer, Sites* sites) {
  for (const CudaFunction& function : answer.functions()) {
    if (!function.OnDevice()) continue;
    for (const CudaVariable& variable : VariablesOf(function)) {
      const std::string_view value = TextOf(variable.initial);
      if (variable.constant || variable.type != "float") continue;
      if (value != "0" && value != "0.0f" && value != "{}") continue;
      if (!IsSum(function, variable.name)) continue;
      const SyntaxNode init = EnclosingNode(variable.initial, "init_declarator");
      sites->push_back({{init.Field("declarator").Last(), init.Last(), ""}});
    }
  }
}

void FindMissingMaxima(const AnswerTrees& answer, Sites* sites) {
  ForEachIn(answer, true, "call_expression", [&](const SyntaxNode& call, const CudaFunction&) {
    const std::string_view name = TextOf(call.Field("function"));
    const std::vector<SyntaxNode> arguments = call.Field("arguments").Children();
    if ((name != "expf" && name != "__expf" && name != "exp") || arguments.size() != 1) return;
    // Leave out the merging of two states, where both operands are maxima.
    if (!arguments[0].Is("binary_expression")) return;
    if (OperatorOf(arguments[0]) == "-" && !arguments[0].Field("left").Is("field_expression")) {
      sites->push_back({Replaced(arguments[0], std::string(TextOf(arguments[0].Field("left"))))});
    }
  });
}

void FindIntegerVariables(const AnswerTrees& answer, Sites* sites) {
  for (const CudaFunction& function : answer.functions()) {
    if (!function.OnDevice()) continue;
    for (const CudaVariable& variable : VariablesOf(function)) {
      if (variable.IsFloat() && !variable.parameter && !variable.shared && variable.initial) {
        sites->push_back({Replaced(variable.declaration.Field("type"), "int")});
      }
    }
  }
}

// The operand of "static_cast<float>(operand)"; a null node for other expressions.
SyntaxNode CastToFloat(const SyntaxNode& node) {
  const std::vector<SyntaxNode> arguments = node.Field("arguments").Children();
  return node.Is("call_expression") && TextOf(node.Field("function")) == "static_cast<float>" &&
                 arguments.size() == 1
             ? arguments[0]
             : SyntaxNode();
}

// Calls the visitor for every "sum / static_cast<float>(count)".
template <typename Visit>
void ForEachMean(const AnswerTrees& answer, Visit visit) {
  ForEachIn(answer, true, "binary_expression", [&](const SyntaxNode& node, const CudaFunction&) {
    const SyntaxNode count = CastToFloat(WithoutParentheses(node.Field("right")));
    if (OperatorOf(node) == "/" && count) visit(node, count);
  });
}

void FindIntegerDivisions(const AnswerTrees& answer, Sites* sites) {
  ForEachMean(answer, [&](const SyntaxNode& node, const SyntaxNode& count) {
    sites->push_back({Replaced(
        node, std::string(TextOf(node.Field("left"))) + " * (1 / " +
                  std::string(count.Is("identifier") ? count.Text() : TextOf(count.Parent())) +
                  ")")});
  });
}

void FindSumsForMeans(const AnswerTrees& answer, Sites* sites) {
  ForEachMean(answer, [&](const SyntaxNode& node, const SyntaxNode&) {
    sites->push_back({Replaced(node, std::string(TextOf(node.Field("left"))))});
  });
}

void FindOtherDivisors(const AnswerTrees& answer, Sites* sites) {
  ForEachMean(answer, [&](const SyntaxNode&, const SyntaxNode& count) {
    const bool less = OperatorOf(count) == "-";
    sites->push_back({Replaced(count, less ? std::string(TextOf(count.Field("left")))
                                           : std::string(count.Text()) + " - 1")});
  });
}

void FindMissingEpsilons(const AnswerTrees& answer, Sites* sites) {
  ForEachIn(answer, true, "binary_expression", [&](const SyntaxNode& node, const CudaFunction&) {
    const SyntaxNode number = node.Field("right");
    if (OperatorOf(node) != "+" || !number.Is("number_literal")) return;
    const double value = std::strtod(std::string(number.Text()).c_str(), nullptr);
    if (value > 0 && value <= 1e-3) {
      sites->push_back({Replaced(node, std::string(TextOf(node.Field("left"))))});
    }
  });
}

void FindMissingTerms(const AnswerTrees& answer, Sites* sites) {
  ForEachIn(answer, true, "binary_expression", [&](const SyntaxNode& node, const CudaFunction&) {
    const SyntaxNode term = WithoutParentheses(node.Field("right"));
    if (!IsFloatValue(node) || EnclosingNode(node, "subscript_argument_list")) return;
    const std::string_view sign = OperatorOf(node);
    if ((sign == "+" || sign == "*") &&
        (term.Is("subscript_expression") || term.Is("identifier"))) {
      sites->push_back({Replaced(node, std::string(TextOf(node.Field("left"))))});
    }
  });
}

// A value is stored before the last operator was applied to it.
void FindSkippedOperators(const AnswerTrees& answer, Sites* sites) {
  ForEachIn(answer, true, "assignment_expression",
            [&](const SyntaxNode& node, const CudaFunction& function) {
              if (!node.Field("left").Is("subscript_expression")) return;
              const std::vector<CudaVariable> variables = VariablesOf(function);
              for (const SyntaxNode& name : NodesOf(node.Field("right"), "identifier")) {
                const CudaVariable* const stored = FindVariable(variables, name.Text());
                if (stored == nullptr || !stored->initial || !stored->IsFloat()) continue;
                for (const SyntaxNode& operand : NodesOf(stored->initial, "identifier")) {
                  const CudaVariable* const before = FindVariable(variables, operand.Text());
                  if (before == nullptr || !before->IsFloat()) continue;
                  sites->push_back({Replaced(name, std::string(before->name))});
                  break;
                }
              }
            });
}

// "0.044715f" becomes "0.0044715f".
void FindWrongCoefficients(const AnswerTrees& answer, Sites* sites) {
  ForEachIn(answer, true, "number_literal", [&](const SyntaxNode& node, const CudaFunction&) {
    const std::string_view text = node.Text();
    const std::size_t point = text.find('.');
    if (point == text.npos || text.find('e') != text.npos) return;
    if (std::strtod(std::string(text).c_str(), nullptr) == 0) return;
    if (text.starts_with("0.")) sites->push_back({Inserted(node.First() + 2, "0")});
    if (!text.starts_with("0.") && text != "1.0f" && text != "2.0f") {
      sites->push_back({Inserted(node.First() + point, "0")});
    }
  });
}

void FindFlippedComparisons(const AnswerTrees& answer, Sites* sites) {
  ForEachIn(answer, true, "conditional_expression",
            [&](const SyntaxNode& node, const CudaFunction&) {
              const SyntaxNode condition = WithoutParentheses(node.Field("condition"));
              const std::string_view sign = OperatorOf(condition);
              if (sign != "<" && sign != ">") return;
              sites->push_back({Replaced(condition.Field("operator"), sign == "<" ? ">" : "<")});
            });
}

void FindWrongFunctions(const AnswerTrees& answer, Sites* sites) {
  static const std::map<std::string_view, std::string_view> kOthers = {
      {"fmaxf", "fminf"}, {"fminf", "fmaxf"},  {"expf", "exp2f"},   {"logf", "log2f"},
      {"sinf", "cosf"},   {"cosf", "sinf"},    {"tanhf", "tanf"},   {"rsqrtf", "sqrtf"},
      {"sqrtf", "cbrtf"}, {"floorf", "rintf"}, {"ceilf", "floorf"}, {"log1pf", "logf"},
      {"expm1f", "expf"}, {"erff", "erfcf"},   {"rintf", "roundf"}, {"fabsf", "-"},
      {"atan2f", "powf"}, {"atanf", "tanf"},   {"asinf", "sinf"},   {"acosf", "cosf"},
      {"sinhf", "sinf"},  {"coshf", "cosf"}};
  ForEachIn(answer, true, "call_expression", [&](const SyntaxNode& call, const CudaFunction&) {
    const SyntaxNode callee = call.Field("function");
    const auto other = kOthers.find(TextOf(callee));
    if (other == kOthers.end()) return;
    sites->push_back({Replaced(callee, std::string(other->second == "-" ? "" : other->second))});
  });
}

void FindSwappedOperands(const AnswerTrees& answer, Sites* sites) {
  ForEachIn(answer, true, "binary_expression", [&](const SyntaxNode& node, const CudaFunction&) {
    const std::string_view sign = OperatorOf(node);
    const SyntaxNode left = node.Field("left"), right = node.Field("right");
    if ((sign != "-" && sign != "/") || !IsFloatValue(node)) return;
    if (EnclosingNode(node, "subscript_argument_list") || OperatorOf(left) != "" ||
        OperatorOf(right) != "") {
      return;
    }
    sites->push_back(
        {Replaced(left, std::string(right.Text())), Replaced(right, std::string(left.Text()))});
  });
}

void FindOverwrittenSums(const AnswerTrees& answer, Sites* sites) {
  ForEachIn(answer, true, "assignment_expression",
            [&](const SyntaxNode& node, const CudaFunction&) {
              const SyntaxNode sign = node.Field("operator");
              if (TextOf(sign) == "+=" && !node.Parent().Is("for_statement")) {
                sites->push_back({Replaced(sign, "=")});
              }
            });
}

// Calls the visitor for every halving loop: "for (int half = n / 2; half > 0; half /= 2)".
template <typename Visit>
void ForEachHalvingLoop(const AnswerTrees& answer, Visit visit) {
  ForEachIn(answer, true, "for_statement", [&](const SyntaxNode& loop, const CudaFunction&) {
    const SyntaxNode update = loop.Field("update"), condition = loop.Field("condition");
    const std::string_view sign = OperatorOf(update);
    if ((sign == "/=" || sign == ">>=") && OperatorOf(condition) == ">") visit(loop, condition);
  });
}

void FindReductionsThatStopEarly(const AnswerTrees& answer, Sites* sites) {
  ForEachHalvingLoop(answer, [&](const SyntaxNode&, const SyntaxNode& condition) {
    if (TextOf(condition.Field("right")) == "0") {
      sites->push_back({Replaced(condition.Field("right"), "1")});
    }
  });
}

void FindReductionsThatStartLate(const AnswerTrees& answer, Sites* sites) {
  ForEachHalvingLoop(answer, [&](const SyntaxNode& loop, const SyntaxNode&) {
    for (const SyntaxNode& start : NodesOf(loop.Field("initializer"), "init_declarator")) {
      sites->push_back({Inserted(start.Last(), " / 2")});
    }
  });
}

void FindWrongSigns(const AnswerTrees& answer, Sites* sites) {
  ForEachIn(answer, true, "unary_expression", [&](const SyntaxNode& node, const CudaFunction&) {
    const SyntaxNode number = WithoutParentheses(node.Field("argument"));
    if (OperatorOf(node) != "-" || !number.Is("identifier") || number.Text() == "INFINITY") return;
    sites->push_back({Replaced(node, std::string(number.Text()))});
  });
}

}  // namespace

void AddValueBugs(std::vector<BugClass>* bugs) {
  using enum FailureClass;
  const auto add = [&](std::string_view name, std::string_view cause, std::string_view remedy,
                       auto find) {
    bugs->push_back({name, kNumerics, BugProof::kRun, cause, remedy, find});
  };
  add("wrong_identity",
      "the search for a maximum or minimum starts at zero, so the result is wrong when all "
      "values lie on the other side of zero",
      "start a maximum at minus infinity and a minimum at plus infinity", FindWrongIdentities);
  add("uninitialised_sum",
      "the accumulator has no initial value, so the sum starts from whatever the register "
      "holds",
      "initialise the accumulator with zero", FindUninitialisedSums);
  add("missing_maximum",
      "the exponential is taken without subtracting the maximum first, so it overflows for "
      "large inputs",
      "subtract the maximum of the row before the exponential", FindMissingMaxima);
  add("integer_variable", "the variable is an `int`, so the fraction of the value is cut off",
      "declare the variable as a floating-point number", FindIntegerVariables);
  add("integer_division", "both operands are integers, so 1 divided by the second one is 0",
      "make one of the operands a floating-point number", FindIntegerDivisions);
  add("sum_for_mean",
      "the sum is never divided by the number of elements, so the result is the sum and "
      "not the mean",
      "divide the sum by the number of elements", FindSumsForMeans);
  add("wrong_divisor",
      "the divisor is not the count that the reference divides by; n - 1 belongs to the "
      "unbiased variance only",
      "divide by the count of the reference", FindOtherDivisors);
  add("missing_epsilon", "the small constant that keeps the divisor away from zero is missing",
      "add the constant under the root", FindMissingEpsilons);
  add("missing_term", "one term or factor of the formula is missing", "compute the whole formula",
      FindMissingTerms);
  add("skipped_operator", "the kernel stores the value before the last operator was applied to it",
      "store the result of the last operator", FindSkippedOperators);
  add("wrong_coefficient", "this constant is about ten times too large or too small",
      "use the constant of the operator's definition", FindWrongCoefficients);
  add("flipped_comparison",
      "the comparison has the wrong direction, so the condition holds for exactly the "
      "values that it should exclude",
      "reverse the comparison", FindFlippedComparisons);
  add("wrong_function", "this function is not the one that the operator stands for",
      "call the function of the operator's definition", FindWrongFunctions);
  add("swapped_operands", "the two operands are exchanged, and the operation does not commute",
      "exchange the operands", FindSwappedOperands);
  add("overwritten_sum",
      "each iteration overwrites the accumulator instead of adding to it, so only the last "
      "one counts",
      "accumulate with `+=`", FindOverwrittenSums);
  add("reduction_stops_early",
      "the reduction ends before its last step, so a part of the partial results is never "
      "combined",
      "halve the distance until one value is left", FindReductionsThatStopEarly);
  add("reduction_starts_late",
      "the first step of the reduction is too short: the values beyond twice this distance "
      "are never combined",
      "begin with half the number of values", FindReductionsThatStartLate);
  add("wrong_sign", "the value is not negated: its minus sign is missing", "negate the value",
      FindWrongSigns);
}

}  // namespace kernelmill
