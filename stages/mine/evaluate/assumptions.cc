// Infers facts from conditions that a module relies on: those of asserts, and of branches that only
// raise.
#include "stages/mine/evaluate/evaluator.h"

namespace kernelmill {
namespace {

bool IsSize(const KnownValue* value) { return value->Is(ValueKind::kSize) || value->IsInteger(); }

}  // namespace

void Evaluator::AssumeEqual(KnownValue* a, KnownValue* b) {
  if (a->Is(ValueKind::kSequence) && b->Is(ValueKind::kSequence)) {
    for (std::size_t i = 0; i < a->items.size() && a->items.size() == b->items.size(); ++i) {
      AssumeEqual(a->items[i], b->items[i]);
    }
    return;
  }
  if (!IsSize(a) || !IsSize(b)) return;
  if (a->Is(ValueKind::kSize) || b->Is(ValueKind::kSize)) {
    solver_.Equate(AsDim(a), AsDim(b), Evidence::kConstraint);
  }
}

// Infers a tensor's rank from `node` == `rank`, if `node` is a number of dimensions: x.ndim,
// x.dim(), len(x.shape).
void Evaluator::AssumeRank(const SyntaxNode& node, const KnownValue* rank, Scope* scope) {
  const auto wanted = AsInteger(rank);
  if (!wanted || *wanted < 0 || *wanted > 8) return;
  SyntaxNode tensor;
  if (node.Is("attribute") && node.Field("attribute").Text() == "ndim") {
    tensor = node.Field("object");
  } else if (node.Is("call")) {
    const SyntaxNode function = node.Field("function");
    const auto arguments = node.Field("arguments").Children();
    if (function.Is("attribute") && arguments.empty() &&
        (function.Field("attribute").Text() == "dim" ||
         function.Field("attribute").Text() == "ndimension")) {
      tensor = function.Field("object");
    } else if (function.Text() == "len" && arguments.size() == 1 && arguments[0].Is("attribute") &&
               arguments[0].Field("attribute").Text() == "shape") {
      tensor = arguments[0].Field("object");
    }
  }
  if (!tensor) return;
  KnownValue* value = Evaluate(tensor, scope);
  if (value->Is(ValueKind::kTensor) && !value->ranked) {
    Ranked(value, static_cast<int>(*wanted), Evidence::kAnnotation);
  }
}

void Evaluator::Assume(const SyntaxNode& condition, bool holds, Scope* scope) {
  if (weak_ > 0 || depth_ > 100 || !Spend()) return;
  const auto parts = condition.Children();
  if (condition.Is("parenthesized_expression") && parts.size() == 1) {
    Assume(parts[0], holds, scope);
  } else if (condition.Is("not_operator")) {
    Assume(condition.Field("argument"), !holds, scope);
  } else if (condition.Is("boolean_operator")) {
    // Both operands follow only from a true `a and b` or a false `a or b`.
    if ((condition.Field("operator").Text() == "and") != holds) return;
    ++depth_;
    Assume(condition.Field("left"), holds, scope);
    Assume(condition.Field("right"), holds, scope);
    --depth_;
  } else if (condition.Is("comparison_operator") && parts.size() == 2) {
    const std::string_view op = condition.Field("operators").Text();
    KnownValue* a = Evaluate(parts[0], scope);
    KnownValue* b = Evaluate(parts[1], scope);
    if (op == (holds ? "==" : "!=")) {
      AssumeRank(parts[0], b, scope);
      AssumeEqual(a, b);
    } else if (op == (holds ? "in" : "not in") && b->Is(ValueKind::kSequence) &&
               !b->items.empty()) {
      AssumeRank(parts[0], b->items.back(), scope);
      const KnownValue* first = b->items[0];
      if (first->Is(ValueKind::kString)) FillHole(a, "'" + first->text + "'", Evidence::kLayer);
      if (first->IsInteger()) FillHole(a, std::to_string(first->integer), Evidence::kLayer);
    }
  } else if (condition.Is("call") && holds && condition.Field("function").Text() == "isinstance") {
    const auto arguments = condition.Field("arguments").Children();
    if (arguments.size() != 2) return;
    const KnownValue* type = Evaluate(arguments[1], scope);
    if (type->Is(ValueKind::kExternal) &&
        (type->text == "builtins.tuple" || type->text == "builtins.list")) {
      FillSoft(Evaluate(arguments[0], scope), 0);
    }
  }
}

}  // namespace kernelmill
