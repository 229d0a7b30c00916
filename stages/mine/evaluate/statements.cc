// Statements: blocks, branches, loops, definitions, imports and assignments.
#include "parsers/python_scopes.h"
#include "stages/mine/evaluate/evaluator.h"

namespace kernelmill {
namespace {

// The deepest nesting of blocks and calls; deeper ones are not run.
constexpr int kDeepestBlock = 120;

// The most iterations of one loop.
constexpr std::size_t kMostIterations = 128;

// Whether a block only raises an error.
bool Raises(const SyntaxNode& block) {
  if (!block) return false;
  const auto statements = block.Children();
  return !statements.empty() && statements[0].Is("raise_statement");
}

}  // namespace

void Evaluator::RunBlock(const SyntaxNode& block, Scope* scope) {
  if (depth_ >= kDeepestBlock) return;
  ++depth_;
  for (const SyntaxNode& statement : block.Children()) {
    if (scope->returned || scope->broken || !Spend()) break;
    RunStatement(statement, scope);
  }
  --depth_;
}

void Evaluator::RunStatement(const SyntaxNode& node, Scope* scope) {
  const std::string_view kind = node.Kind();
  if (kind == "expression_statement") {
    for (const SyntaxNode& child : node.Children()) Evaluate(child, scope);
  } else if (kind == "return_statement") {
    const SyntaxNode value = FirstChild(node);
    KnownValue* result = value ? Evaluate(value, scope) : None();
    if (scope->result == nullptr || weak_ == 0) scope->result = result;
    if (weak_ == 0) scope->returned = true;
  } else if (kind == "if_statement") {
    RunIf(node, scope);
  } else if (kind == "for_statement") {
    RunFor(node, scope);
  } else if (kind == "while_statement") {
    ++weak_;
    RunBlock(node.Field("body"), scope);
    --weak_;
    scope->broken = false;
  } else if (kind == "with_statement" || kind == "try_statement") {
    for (const SyntaxNode& child : node.Children()) {
      if (child.Is("block")) RunBlock(child, scope);
      if (child.Is("finally_clause")) RunBlock(FirstChild(child), scope);
    }
  } else if (kind == "assert_statement") {
    const SyntaxNode condition = FirstChild(node);
    if (!condition) return;
    Assume(condition, true, scope);
    const std::optional<bool> holds = Truth(Evaluate(condition, scope));
    if (holds && !*holds) Conflict();
  } else if (kind == "raise_statement") {
    Conflict();
    if (weak_ == 0) scope->returned = true;
  } else if (kind == "break_statement" || kind == "continue_statement") {
    if (weak_ == 0) scope->broken = true;
  } else if (kind == "function_definition" || kind == "class_definition") {
    Define(node, scope, {});
  } else if (kind == "decorated_definition") {
    std::vector<SyntaxNode> decorators;
    for (const SyntaxNode& child : node.Children()) {
      if (child.Is("decorator")) decorators.push_back(child);
    }
    Define(node.Field("definition"), scope, decorators);
  } else if (kind == "import_statement" || kind == "import_from_statement") {
    Import(node, scope);
  } else if (kind == "match_statement") {
    RunMatch(node, scope);
  }
}

void Evaluator::RunMatch(const SyntaxNode& node, Scope* scope) {
  ++weak_;
  for (const SyntaxNode& clause : node.Field("body").Children()) {
    if (const SyntaxNode block = clause.Field("consequence")) RunBlock(block, scope);
  }
  --weak_;
}

void Evaluator::RunIf(const SyntaxNode& node, Scope* scope) {
  std::vector<std::pair<SyntaxNode, SyntaxNode>> branches = {
      {node.Field("condition"), node.Field("consequence")}};
  for (const SyntaxNode& child : node.Children()) {
    if (child.Is("elif_clause")) {
      branches.emplace_back(child.Field("condition"), child.Field("consequence"));
    } else if (child.Is("else_clause")) {
      branches.emplace_back(SyntaxNode(), child.Field("body"));
    }
  }
  bool maybe = false;
  for (const auto& [condition, block] : branches) {
    // A condition that leads to an error is assumed to be false.
    if (condition && Raises(block)) {
      Assume(condition, false, scope);
      if (Truth(Evaluate(condition, scope)).value_or(false)) Conflict();
      continue;
    }
    const std::optional<bool> holds =
        condition ? Truth(Evaluate(condition, scope)) : std::optional<bool>(true);
    if (holds && !*holds) continue;
    const bool certain = holds && !maybe;
    if (!certain) ++weak_;
    if (block) RunBlock(block, scope);
    if (!certain) --weak_;
    if (holds) return;
    maybe = true;
  }
}

void Evaluator::RunFor(const SyntaxNode& node, Scope* scope) {
  const SyntaxNode target = node.Field("left"), body = node.Field("body");
  const auto items = Iterate(Evaluate(node.Field("right"), scope));
  if (!items) {
    Assign(target, Unknown(), scope);
    ++weak_;
    RunBlock(body, scope);
    --weak_;
    return;
  }
  for (std::size_t i = 0; i < items->size() && i < kMostIterations; ++i) {
    Assign(target, (*items)[i], scope);
    RunBlock(body, scope);
    // A break ends the loop. A continue is ignored, which makes no difference for sizes.
    scope->broken = false;
    if (scope->returned) return;
  }
}

void Evaluator::Define(const SyntaxNode& node, Scope* scope,
                       const std::vector<SyntaxNode>& decorators) {
  KnownValue* made = New(node.Is("class_definition") ? ValueKind::kClass : ValueKind::kFunction);
  made->node = node;
  made->scope = scope;
  for (const SyntaxNode& decorator : decorators) {
    const std::string_view text = decorator.Text();
    if (text.find("property") != std::string_view::npos) made->text = "property";
    if (text.find("staticmethod") != std::string_view::npos) made->text = "static";
    if (text.find("dataclass") != std::string_view::npos) made->text = "dataclass";
  }
  scope->names[std::string(node.Field("name").Text())] = made;
}

void Evaluator::Import(const SyntaxNode& node, Scope* scope) {
  for (const PythonImport& import : ReadImports(node)) {
    if (import.alias.empty()) continue;
    std::string name = import.module;
    if (!import.name.empty()) {
      name += "." + import.name;
    } else if (import.alias == import.module.substr(0, import.module.find('.'))) {
      name = import.alias;
    }
    scope->names[import.alias] = External(name);
  }
}

void Evaluator::Assign(const SyntaxNode& target, KnownValue* value, Scope* scope) {
  if (target.Is("identifier")) {
    const auto found = scope->names.find(target.Text());
    // A branch that may not be taken replaces a known value only by one that is known better.
    if (weak_ > 0 && found != scope->names.end() && !found->second->Is(ValueKind::kUnknown) &&
        !found->second->Is(ValueKind::kNone)) {
      return;
    }
    scope->names[std::string(target.Text())] = value;
  } else if (target.Is("attribute")) {
    KnownValue* object = Evaluate(target.Field("object"), scope);
    if (object->Is(ValueKind::kObject)) {
      object->attributes[std::string(target.Field("attribute").Text())] = value;
      // A module that is assigned to an attribute of a Sequential is one of its layers.
      const bool module = value->Is(ValueKind::kLayer) || value->Is(ValueKind::kObject);
      if (module && object->layer != nullptr && object->layer->text == "Sequential") {
        object->layer->items.push_back(value);
      }
    }
  } else if (target.Is("subscript")) {
    KnownValue* object = Evaluate(target.Field("value"), scope);
    const SyntaxNode index = target.Field("subscript");
    if (object->Is(ValueKind::kDictionary) && index) {
      const KnownValue* key = Evaluate(index, scope);
      if (key->Is(ValueKind::kString)) object->attributes[key->text] = value;
    }
  } else if (target.Is("pattern_list") || target.Is("tuple_pattern") || target.Is("list_pattern") ||
             target.Is("parenthesized_expression") || target.Is("tuple") || target.Is("list")) {
    const auto targets = target.Children();
    int star = -1;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      if (targets[i].Is("list_splat_pattern")) star = static_cast<int>(i);
    }
    // `b, c, h, w = x.shape` determines the rank.
    if (value->Is(ValueKind::kMethod) && value->text == "shape" && star < 0) {
      KnownValue* ranked =
          Ranked(value->target, static_cast<int>(targets.size()), Evidence::kUnpack);
      if (ranked != nullptr) {
        std::vector<KnownValue*> sizes;
        for (Dim dim : ranked->dims) sizes.push_back(SizeOf(dim));
        value = Sequence(std::move(sizes));
      }
    }
    FillSoft(value, targets.size());
    const auto items = Iterate(value);
    const std::size_t fixed = targets.size() - (star >= 0 ? 1 : 0);
    if (!items || (star < 0 ? items->size() != fixed : items->size() < fixed)) {
      if (items && !items->empty()) Conflict();
      for (const SyntaxNode& item : targets) Assign(item, Unknown(), scope);
      return;
    }
    std::size_t next = 0;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      if (static_cast<int>(i) != star) {
        Assign(targets[i], (*items)[next++], scope);
        continue;
      }
      const std::size_t count = items->size() - fixed;
      Assign(FirstChild(targets[i]),
             Sequence({items->begin() + static_cast<long>(next),
                       items->begin() + static_cast<long>(next + count)}),
             scope);
      next += count;
    }
  }
}

void Evaluator::AssignAugmented(const SyntaxNode& node, Scope* scope) {
  std::string_view op = node.Field("operator").Text();
  op.remove_suffix(1);
  const SyntaxNode left = node.Field("left");
  KnownValue* value = Binary(op, Evaluate(left, scope), Evaluate(node.Field("right"), scope));
  if (left.Is("identifier")) {
    scope->names[std::string(left.Text())] = value;
  } else {
    Assign(left, value, scope);
  }
}

}  // namespace kernelmill
