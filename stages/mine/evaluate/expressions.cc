#include <algorithm>
#include <cmath>

#include "stages/mine/evaluate/evaluator.h"

namespace kernelmill {
namespace {

// Expressions nest at most this deep; deeper ones are unknown.
constexpr int kDeepest = 120;
constexpr std::int64_t kLongestSequence = 4096;

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
    // `b, n, _, h = *x.shape, self.heads` tells the rank of x.
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

KnownValue* Evaluator::Binary(std::string_view op, KnownValue* a, KnownValue* b) {
  if (a->Is(ValueKind::kTensor) || b->Is(ValueKind::kTensor)) {
    if (op == "@") return MatrixProduct(a, b);
    return Broadcast(a, b);
  }
  FillNone(a, false);
  FillNone(b, false);
  if (a->Is(ValueKind::kHole) || b->Is(ValueKind::kHole)) {
    // A number, as numbers go: something small that divides usual widths.
    KnownValue* hole = a->Is(ValueKind::kHole) ? a : b;
    FillHole(hole, "4", Evidence::kConstraint);
    return Unknown();
  }
  if (a->Is(ValueKind::kSequence) && b->Is(ValueKind::kSequence) && op == "+") {
    std::vector<KnownValue*> items = a->items;
    items.insert(items.end(), b->items.begin(), b->items.end());
    return Sequence(std::move(items));
  }
  if (op == "*" && (a->Is(ValueKind::kSequence) || b->Is(ValueKind::kSequence))) {
    KnownValue* sequence = a->Is(ValueKind::kSequence) ? a : b;
    const auto count = AsInteger(a->Is(ValueKind::kSequence) ? b : a);
    if (!count || *count < 0 ||
        *count * static_cast<std::int64_t>(sequence->items.size()) > kLongestSequence) {
      return Unknown();
    }
    std::vector<KnownValue*> items;
    for (std::int64_t i = 0; i < *count; ++i) {
      items.insert(items.end(), sequence->items.begin(), sequence->items.end());
    }
    return Sequence(std::move(items));
  }
  if (a->Is(ValueKind::kString) && b->Is(ValueKind::kString) && op == "+") {
    return String(a->text + b->text);
  }
  return Arithmetic(op, a, b);
}

KnownValue* Evaluator::Arithmetic(std::string_view op, KnownValue* a, KnownValue* b) {
  const auto whole_a = AsInteger(a), whole_b = AsInteger(b);
  const bool floating = a->Is(ValueKind::kFloat) || b->Is(ValueKind::kFloat);
  if (!floating && whole_a && whole_b) {
    const std::int64_t x = *whole_a, y = *whole_b;
    constexpr std::int64_t kLimit = std::int64_t{1} << 40;
    if (std::llabs(x) < kLimit && std::llabs(y) < (1 << 20)) {
      if (op == "+") return Integer(x + y);
      if (op == "-") return Integer(x - y);
      if (op == "*") return Integer(x * y);
      if (op == "//" && y != 0) return Integer((x - ((x % y + y) % y)) / y);
      if (op == "%" && y != 0) return Integer((x % y + y) % y);
      if (op == "<<" && y >= 0 && y < 20) return Integer(x << y);
      if (op == ">>" && y >= 0 && y < 40) return Integer(x >> y);
      if (op == "**" && y >= 0 && y < 31) {
        const double power = std::pow(static_cast<double>(x), static_cast<double>(y));
        return std::fabs(power) < 1e15 ? Integer(static_cast<std::int64_t>(power)) : Unknown();
      }
    }
  }
  const auto real_a = AsNumber(a), real_b = AsNumber(b);
  if (real_a && real_b) {
    if (op == "+") return Float(*real_a + *real_b);
    if (op == "-") return Float(*real_a - *real_b);
    if (op == "*") return Float(*real_a * *real_b);
    if (op == "/" && *real_b != 0) return Float(*real_a / *real_b);
    if (op == "//" && *real_b != 0) return Float(std::floor(*real_a / *real_b));
    if (op == "**") return Float(std::pow(*real_a, *real_b));
    return Unknown();
  }
  return SizeArithmetic(op, a, b);
}

KnownValue* Evaluator::SizeArithmetic(std::string_view op, KnownValue* a, KnownValue* b) {
  const bool size_a = a->Is(ValueKind::kSize), size_b = b->Is(ValueKind::kSize);
  if (!size_a && !size_b) return Unknown();
  const auto whole_a = AsInteger(a), whole_b = AsInteger(b);
  if (op == "*" && (size_a || whole_a) && (size_b || whole_b)) {
    const Dim product = solver_.Fresh();
    solver_.AddProduct(product, AsDim(a), AsDim(b));
    return SizeOf(product);
  }
  if (op == "**" && size_a && b->Is(ValueKind::kFloat) && b->real == 0.5) {
    const Dim root = solver_.Fresh();
    solver_.AddProduct(a->dim, root, root);
    return SizeOf(root);
  }
  if (!size_a || !whole_b) {
    if (op == "+" && whole_a && size_b) return SizeArithmetic(op, b, a);
    return op == "/" ? Unknown() : SizeOf(solver_.Fresh());
  }
  if (op == "+" || op == "-") {
    const Dim sum = solver_.Fresh();
    solver_.AddSum(sum, a->dim, op == "+" ? *whole_b : -*whole_b);
    return SizeOf(sum);
  }
  if ((op == "//" || op == "/") && *whole_b > 0) {
    const Dim quotient = solver_.Fresh();
    solver_.AddProduct(a->dim, quotient, solver_.Constant(*whole_b));
    return SizeOf(quotient);
  }
  // Code takes a size modulo something to see that it divides.
  if (op == "%" && *whole_b > 0) {
    if (weak_ == 0) solver_.AddFactor(a->dim, *whole_b);
    return Integer(0);
  }
  return Unknown();
}

KnownValue* Evaluator::Compare(std::string_view op, KnownValue* a, KnownValue* b) {
  if (op == "is" || op == "is not" || op == "==" || op == "!=") {
    const bool wanted = op == "is" || op == "==";
    if (a->Is(ValueKind::kNone) && b->Is(ValueKind::kNone)) return Bool(wanted);
    if (a->Is(ValueKind::kNone) || b->Is(ValueKind::kNone)) {
      const KnownValue* other = a->Is(ValueKind::kNone) ? b : a;
      if (other->Is(ValueKind::kUnknown)) return Unknown();
      return Bool(!wanted);
    }
    if (a->Is(ValueKind::kString) && b->Is(ValueKind::kString)) {
      return Bool((a->text == b->text) == wanted);
    }
    if (a->Is(ValueKind::kExternal) && b->Is(ValueKind::kExternal)) {
      return Bool((a->text == b->text) == wanted);
    }
    if (a->Is(ValueKind::kSequence) && b->Is(ValueKind::kSequence) &&
        a->items.size() != b->items.size()) {
      return Bool(!wanted);
    }
    // `assert c == self.channels` tells a size.
    if (op == "==" && (a->Is(ValueKind::kSize) || b->Is(ValueKind::kSize)) && weak_ == 0) {
      const bool sizes = (a->Is(ValueKind::kSize) || a->IsInteger()) &&
                         (b->Is(ValueKind::kSize) || b->IsInteger());
      if (!sizes) return Unknown();
      // The rank that `x.ndim == 4` asks for must not be taken for a fact; sizes may.
      return Unknown();
    }
  }
  const auto x = AsNumber(a), y = AsNumber(b);
  if (x && y) {
    if (op == "==" || op == "is") return Bool(*x == *y);
    if (op == "!=" || op == "is not") return Bool(*x != *y);
    if (op == "<") return Bool(*x < *y);
    if (op == "<=") return Bool(*x <= *y);
    if (op == ">") return Bool(*x > *y);
    if (op == ">=") return Bool(*x >= *y);
  }
  if (op == "in" || op == "not in") {
    const bool wanted = op == "in";
    if (b->Is(ValueKind::kDictionary) && a->Is(ValueKind::kString)) {
      return Bool(b->attributes.contains(a->text) == wanted);
    }
    if (b->Is(ValueKind::kSequence)) {
      bool all_known = true;
      for (const KnownValue* item : b->items) {
        const KnownValue* same = Compare("==", a, const_cast<KnownValue*>(item));
        if (same->Is(ValueKind::kUnknown)) all_known = false;
        if (Truth(same).value_or(false)) return Bool(wanted);
      }
      if (all_known) return Bool(!wanted);
    }
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

KnownValue* Evaluator::SliceSequence(KnownValue* sequence, const SyntaxNode& slice, Scope* scope) {
  // start:stop:step, each optional; the colons tell which is which.
  std::optional<std::int64_t> parts[3];
  int part = 0;
  for (const SyntaxNode& child : slice.AllChildren()) {
    if (child.Is(":")) {
      if (++part > 2) return Unknown();
      continue;
    }
    parts[part] = AsInteger(Evaluate(child, scope));
    if (!parts[part]) return Unknown();
  }
  const auto size = static_cast<std::int64_t>(sequence->items.size());
  const std::int64_t step = parts[2].value_or(1);
  if (step != 1 && step != -1) return Unknown();
  const auto clamp = [&](std::int64_t index) {
    return std::clamp(index < 0 ? index + size : index, std::int64_t{0}, size);
  };
  std::vector<KnownValue*> items;
  if (step == -1) {
    if (parts[0] || parts[1]) return Unknown();
    items.assign(sequence->items.rbegin(), sequence->items.rend());
  } else {
    const std::int64_t first = clamp(parts[0].value_or(0));
    const std::int64_t last = clamp(parts[1].value_or(size));
    for (std::int64_t i = first; i < last; ++i) items.push_back(sequence->items[i]);
  }
  return Sequence(std::move(items));
}

KnownValue* Evaluator::Subscript(const SyntaxNode& node, Scope* scope) {
  KnownValue* value = Evaluate(node.Field("value"), scope);
  std::vector<SyntaxNode> indices;
  const SyntaxNode object = node.Field("value");
  for (const SyntaxNode& child : node.Children()) {
    if (child.First() != object.First()) indices.push_back(child);
  }
  if (indices.empty()) return Unknown();
  if (value->Is(ValueKind::kTensor)) return IndexTensor(value, indices, scope);
  if (value->Is(ValueKind::kHole)) {
    FillHole(value, "(64, 128)", Evidence::kConstraint);
    return Unknown();
  }
  FillSoft(value, 0);
  if (value->Is(ValueKind::kMethod) && value->text == "shape") {
    const auto index = AsInteger(Evaluate(indices[0], scope));
    if (index && *index == -1) return SizeOf(value->target->dims.back());
    return indices[0].Is("slice") ? Unknown() : SizeOf(solver_.Fresh());
  }
  if (value->Is(ValueKind::kObject) && value->layer != nullptr) value = value->layer;
  if (indices[0].Is("slice")) {
    return value->Is(ValueKind::kSequence) || value->Is(ValueKind::kLayer)
               ? SliceSequence(value, indices[0], scope)
               : Unknown();
  }
  const KnownValue* index = Evaluate(indices[0], scope);
  if (index->Is(ValueKind::kString)) {
    const auto found = value->attributes.find(index->text);
    return found == value->attributes.end() ? Unknown() : found->second;
  }
  const auto at = AsInteger(index);
  if (!at) return Unknown();
  if (value->Is(ValueKind::kDictionary)) {
    const auto found = value->attributes.find(std::to_string(*at));
    return found == value->attributes.end() ? Unknown() : found->second;
  }
  const auto size = static_cast<std::int64_t>(value->items.size());
  const std::int64_t position = *at < 0 ? *at + size : *at;
  return position >= 0 && position < size ? value->items[position] : Unknown();
}

KnownValue* Evaluator::IndexTensor(KnownValue* tensor, const std::vector<SyntaxNode>& indices,
                                   Scope* scope) {
  std::vector<SyntaxNode> parts = indices;
  if (parts.size() == 1 && parts[0].Is("tuple")) parts = parts[0].Children();
  if (!tensor->ranked) {
    // Only what leaves the last dimension alone is followed: x[..., i] and x[:, :n] are not.
    for (const SyntaxNode& part : parts) Evaluate(part, scope);
    return Unknown();
  }
  std::size_t used = 0;
  for (const SyntaxNode& part : parts) {
    if (!part.Is("ellipsis") && !part.Is("none")) ++used;
  }
  if (used > tensor->dims.size()) {
    Conflict();
    return Unknown();
  }
  std::vector<Dim> dims;
  std::size_t next = 0;
  for (const SyntaxNode& part : parts) {
    if (part.Is("ellipsis")) {
      const std::size_t skipped = tensor->dims.size() - used;
      for (std::size_t i = 0; i < skipped; ++i) dims.push_back(tensor->dims[next++]);
      continue;
    }
    if (part.Is("none")) {
      dims.push_back(solver_.Constant(1));
      continue;
    }
    const Dim dim = tensor->dims[next++];
    if (part.Is("slice")) {
      std::optional<std::int64_t> bounds[3];
      int position = 0;
      bool computed = false, bounded = false;
      for (const SyntaxNode& child : part.AllChildren()) {
        if (child.Is(":")) {
          if (++position > 2) return Unknown();
          continue;
        }
        bounded = true;
        bounds[position] = AsInteger(Evaluate(child, scope));
        computed |= !bounds[position];
      }
      const auto size = solver_.KnownValue(dim);
      if (!bounded) {
        dims.push_back(dim);
      } else if (computed || bounds[2]) {
        dims.push_back(solver_.Fresh());
      } else if (size) {
        const auto clamp = [&](std::int64_t i) {
          return std::clamp(i < 0 ? i + *size : i, std::int64_t{0}, *size);
        };
        const std::int64_t count = clamp(bounds[1].value_or(*size)) - clamp(bounds[0].value_or(0));
        dims.push_back(count > 0 ? solver_.Constant(count) : solver_.Fresh());
      } else if (!bounds[1] || (!bounds[0] && *bounds[1] < 0)) {
        // x[1:] and x[:-1] lose a known number.
        const std::int64_t lost = bounds[1] ? *bounds[1] : -*bounds[0];
        const Dim rest = solver_.Fresh();
        if (lost < 0) solver_.AddSum(rest, dim, lost);
        dims.push_back(rest);
      } else {
        dims.push_back(*bounds[1] > 0 ? solver_.Constant(*bounds[1] - bounds[0].value_or(0))
                                      : solver_.Fresh());
      }
      continue;
    }
    KnownValue* index = Evaluate(part, scope);
    if (index->IsInteger() || index->Is(ValueKind::kSize)) continue;
    if (index->Is(ValueKind::kNone)) {
      dims.push_back(solver_.Constant(1));
      --next;
      continue;
    }
    return Unknown();  // Tensors and lists as indices.
  }
  while (next < tensor->dims.size()) dims.push_back(tensor->dims[next++]);
  KnownValue* result = Tensor(std::move(dims), tensor->type);
  result->origin = tensor->origin;
  return result;
}

}  // namespace kernelmill
