#include <algorithm>

#include "stages/mine/evaluate/evaluator.h"

namespace kernelmill {
namespace {

// The deepest nesting of expressions; deeper ones are unknown.
constexpr int kDeepest = 120;

std::string Unquoted(std::string_view text) {
  const auto quote = text.find_first_of("'\"");
  if (quote == std::string_view::npos) return "";
  const std::size_t width =
      text.substr(quote).starts_with("'''") || text.substr(quote).starts_with("\"\"\"") ? 3 : 1;
  if (text.size() < quote + 2 * width) return "";
  return std::string(text.substr(quote + width, text.size() - quote - 2 * width));
}

std::optional<std::int64_t> ParseInteger(std::string_view text) {
  std::string digits;
  for (char c : text) {
    if (c != '_') digits += c;
  }
  if (digits.empty() || digits.size() > 15 ||
      digits.find_first_not_of("0123456789") != std::string::npos) {
    return std::nullopt;
  }
  return std::stoll(digits);
}

}  // namespace

KnownValue* Evaluator::Evaluate(const SyntaxNode& node, Scope* scope) {
  if (!node || depth_ >= kDeepest || !Spend()) return Unknown();
  ++depth_;
  KnownValue* value = EvaluateKind(node, scope);
  --depth_;
  return value;
}

KnownValue* Evaluator::EvaluateKind(const SyntaxNode& node, Scope* scope) {
  const std::string_view kind = node.Kind();
  if (kind == "identifier") return Lookup(node.Text(), scope);
  if (kind == "attribute") {
    return GetAttribute(Evaluate(node.Field("object"), scope), node.Field("attribute").Text());
  }
  if (kind == "call") return CallNode(node, scope);
  if (kind == "integer") {
    const auto value = ParseInteger(node.Text());
    return value ? Integer(*value) : Unknown();
  }
  if (kind == "float") {
    std::string text(node.Text());
    text.erase(std::remove(text.begin(), text.end(), '_'), text.end());
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    return *end == '\0' ? Float(value) : Unknown();
  }
  if (kind == "string") return String(Unquoted(node.Text()));
  if (kind == "concatenated_string") {
    std::string text;
    for (const SyntaxNode& part : node.Children()) text += Unquoted(part.Text());
    return String(text);
  }
  if (kind == "true") return Bool(true);
  if (kind == "false") return Bool(false);
  if (kind == "none") return None();
  if (kind == "assignment") {
    const SyntaxNode left = node.Field("left"), right = node.Field("right");
    if (!right) return None();
    // `b, n, _, h = *x.shape, self.heads` determines the rank of x.
    if (left.Is("pattern_list") && right.Is("expression_list")) {
      const auto parts = right.Children();
      const bool open = left.Text().find('*') != std::string_view::npos;
      for (const SyntaxNode& part : parts) {
        if (open || !part.Text().starts_with("*")) continue;
        const KnownValue* shape = Evaluate(part, scope);
        if (shape->Is(ValueKind::kMethod) && shape->text == "shape") {
          const auto rank = static_cast<int>(left.Children().size() - parts.size() + 1);
          Ranked(shape->target, rank, Evidence::kUnpack);
        }
      }
    }
    KnownValue* value = Evaluate(right, scope);
    Assign(left, value, scope);
    return value;
  }
  if (kind == "augmented_assignment") {
    AssignAugmented(node, scope);
    return None();
  }
  if (kind == "named_expression") {
    KnownValue* value = Evaluate(node.Field("value"), scope);
    Assign(node.Field("name"), value, scope);
    return value;
  }
  if (kind == "parenthesized_expression" || kind == "await" || kind == "list_splat") {
    const auto children = node.Children();
    return children.empty() ? Unknown() : Evaluate(children[0], scope);
  }
  if (kind == "tuple" || kind == "list" || kind == "expression_list" || kind == "set") {
    std::vector<KnownValue*> items;
    for (const SyntaxNode& child : node.Children()) {
      // Without parentheses `*x.shape` parses as (*x).shape.
      const bool spread = child.Text().starts_with("*");
      if (!spread) {
        items.push_back(Evaluate(child, scope));
        continue;
      }
      const auto more = Iterate(Evaluate(child, scope));
      if (!more) return Unknown();
      items.insert(items.end(), more->begin(), more->end());
    }
    return Sequence(std::move(items));
  }
  if (kind == "dictionary") {
    KnownValue* value = New(ValueKind::kDictionary);
    for (const SyntaxNode& child : node.Children()) {
      if (child.Is("dictionary_splat")) {
        const auto inner = child.Children();
        const KnownValue* more = inner.empty() ? Unknown() : Evaluate(inner[0], scope);
        for (const auto& [key, item] : more->attributes) value->attributes[key] = item;
        continue;
      }
      const KnownValue* key = Evaluate(child.Field("key"), scope);
      KnownValue* item = Evaluate(child.Field("value"), scope);
      if (key->Is(ValueKind::kString)) value->attributes[key->text] = item;
      if (key->Is(ValueKind::kInteger)) value->attributes[std::to_string(key->integer)] = item;
    }
    return value;
  }
  if (kind == "binary_operator") {
    return Binary(node.Field("operator").Text(), Evaluate(node.Field("left"), scope),
                  Evaluate(node.Field("right"), scope));
  }
  if (kind == "unary_operator") {
    KnownValue* value = Evaluate(node.Field("argument"), scope);
    const std::string_view op = node.Field("operator").Text();
    if (op == "-" && value->IsInteger()) return Integer(-value->integer);
    if (op == "-" && value->Is(ValueKind::kFloat)) return Float(-value->real);
    return value->Is(ValueKind::kTensor) ? value : Unknown();
  }
  if (kind == "not_operator") {
    const auto truth = Truth(Evaluate(node.Field("argument"), scope));
    return truth ? Bool(!*truth) : Unknown();
  }
  if (kind == "boolean_operator") {
    const bool is_and = node.Field("operator").Text() == "and";
    KnownValue* left = Evaluate(node.Field("left"), scope);
    const auto truth = Truth(left);
    if (truth && *truth != is_and) return left;
    KnownValue* right = Evaluate(node.Field("right"), scope);
    return truth ? right : Unknown();
  }
  if (kind == "comparison_operator") {
    const auto operands = node.Children();
    const SyntaxNode op = node.Field("operators");
    if (operands.size() != 2 || !op) {
      for (const SyntaxNode& operand : operands) Evaluate(operand, scope);
      return Unknown();
    }
    return Compare(op.Text(), Evaluate(operands[0], scope), Evaluate(operands[1], scope));
  }
  if (kind == "conditional_expression") {
    const auto parts = node.Children();
    if (parts.size() != 3) return Unknown();
    const auto truth = Truth(Evaluate(parts[1], scope));
    if (truth) return Evaluate(parts[*truth ? 0 : 2], scope);
    ++weak_;
    KnownValue* first = Evaluate(parts[0], scope);
    KnownValue* second = Evaluate(parts[2], scope);
    --weak_;
    return first->Is(ValueKind::kUnknown) || first->Is(ValueKind::kNone) ? second : first;
  }
  if (kind == "lambda") {
    KnownValue* value = New(ValueKind::kFunction);
    value->node = node;
    value->scope = scope;
    return value;
  }
  if (kind == "subscript") return Subscript(node, scope);
  if (kind == "list_comprehension" || kind == "generator_expression" ||
      kind == "set_comprehension" || kind == "dictionary_comprehension") {
    return Comprehension(node, scope);
  }
  return Unknown();
}

std::optional<std::vector<KnownValue*>> Evaluator::Iterate(KnownValue* value) {
  FillSoft(value, 0);
  switch (value->kind) {
    case ValueKind::kSequence:
      return value->items;
    case ValueKind::kLayer:
      return value->items;
    case ValueKind::kObject:
      if (value->layer != nullptr) return value->layer->items;
      return std::nullopt;
    case ValueKind::kDictionary: {
      std::vector<KnownValue*> keys;
      for (const auto& [key, item] : value->attributes) keys.push_back(String(key));
      return keys;
    }
    case ValueKind::kHole:
      FillHole(value, "(64, 128)", Evidence::kConstraint);
      return std::nullopt;
    case ValueKind::kTensor: {
      if (!value->ranked || value->dims.empty()) return std::nullopt;
      const auto count = solver_.KnownValue(value->dims[0]);
      if (!count || *count > 16) return std::nullopt;
      KnownValue* item = Tensor({value->dims.begin() + 1, value->dims.end()}, value->type);
      return std::vector<KnownValue*>(static_cast<std::size_t>(*count), item);
    }
    default:
      return std::nullopt;
  }
}

KnownValue* Evaluator::Comprehension(const SyntaxNode& node, Scope* scope) {
  Scope* inner = NewScope(scope);
  const auto children = node.Children();
  if (children.size() < 2) return Unknown();
  const SyntaxNode body = node.Field("body");
  const SyntaxNode clause = children[1];
  const auto items = Iterate(Evaluate(clause.Field("right"), scope));
  const bool single = children.size() == 2 && !node.Is("dictionary_comprehension");
  if (!items || !single || items->size() > 128) {
    Assign(clause.Field("left"), items && !items->empty() ? (*items)[0] : Unknown(), inner);
    ++weak_;
    Evaluate(body, inner);
    --weak_;
    return Unknown();
  }
  std::vector<KnownValue*> made;
  for (KnownValue* item : *items) {
    Assign(clause.Field("left"), item, inner);
    made.push_back(Evaluate(body, inner));
    inner = NewScope(scope);
  }
  return Sequence(std::move(made));
}

}  // namespace kernelmill
