#include "stages/mine/evaluate/evaluator.h"

#include <algorithm>

#include "parsers/python_scopes.h"

namespace kernelmill {
namespace {

constexpr int kMostSteps = 300'000;

// Blocks nest, and calls follow each other, at most this deep; what is deeper is not run.
constexpr int kDeepestBlock = 120;

// The most iterations of one loop.
constexpr std::size_t kMostIterations = 128;

SyntaxNode FirstChild(const SyntaxNode& node) {
  const auto children = node.Children();
  return children.empty() ? SyntaxNode() : children[0];
}

// Whether a block does nothing but raise an error.
bool Raises(const SyntaxNode& block) { return block && FirstChild(block).Is("raise_statement"); }

}  // namespace

Evaluator::Evaluator(const SyntaxNode& module) : module_(module) {
  globals_ = NewScope(nullptr);
  RunBlock(module_, globals_);
}

KnownValue* Evaluator::New(ValueKind kind) {
  values_.emplace_back();
  values_.back().kind = kind;
  return &values_.back();
}
KnownValue* Evaluator::Bool(bool value) {
  KnownValue* made = New(ValueKind::kBool);
  made->integer = value ? 1 : 0;
  return made;
}
KnownValue* Evaluator::Integer(std::int64_t value) {
  KnownValue* made = New(ValueKind::kInteger);
  made->integer = value;
  return made;
}
KnownValue* Evaluator::Float(double value) {
  KnownValue* made = New(ValueKind::kFloat);
  made->real = value;
  return made;
}
KnownValue* Evaluator::String(std::string text) {
  KnownValue* made = New(ValueKind::kString);
  made->text = std::move(text);
  return made;
}
KnownValue* Evaluator::Sequence(std::vector<KnownValue*> items) {
  KnownValue* made = New(ValueKind::kSequence);
  made->items = std::move(items);
  return made;
}
KnownValue* Evaluator::External(std::string name) {
  KnownValue* made = New(ValueKind::kExternal);
  made->text = std::move(name);
  return made;
}
KnownValue* Evaluator::SizeOf(Dim dim) {
  if (const auto known = solver_.KnownValue(dim)) {
    KnownValue* made = Integer(*known);
    made->dim = dim;
    return made;
  }
  KnownValue* made = New(ValueKind::kSize);
  made->dim = dim;
  return made;
}
KnownValue* Evaluator::Tensor(std::vector<Dim> dims, TensorType type) {
  KnownValue* made = New(ValueKind::kTensor);
  made->dims = std::move(dims);
  made->type = type;
  return made;
}

std::optional<std::int64_t> Evaluator::AsInteger(const KnownValue* value) const {
  if (value == nullptr) return std::nullopt;
  if (value->IsInteger()) return value->integer;
  if (value->Is(ValueKind::kSize)) return solver_.KnownValue(value->dim);
  return std::nullopt;
}
std::optional<double> Evaluator::AsNumber(const KnownValue* value) const {
  if (value != nullptr && value->Is(ValueKind::kFloat)) return value->real;
  const auto integer = AsInteger(value);
  return integer ? std::optional<double>(static_cast<double>(*integer)) : std::nullopt;
}

std::optional<bool> Evaluator::Truth(const KnownValue* value) const {
  switch (value->kind) {
    case ValueKind::kNone:
      return false;
    case ValueKind::kBool:
    case ValueKind::kInteger:
      return value->integer != 0;
    case ValueKind::kFloat:
      return value->real != 0;
    case ValueKind::kString:
      return !value->text.empty();
    case ValueKind::kSequence:
      return !value->items.empty();
    case ValueKind::kDictionary:
      return !value->attributes.empty();
    case ValueKind::kFunction:
    case ValueKind::kClass:
    case ValueKind::kObject:
    case ValueKind::kLayer:
    case ValueKind::kSize:
      return true;
    default:
      return std::nullopt;
  }
}

Dim Evaluator::AsDim(const KnownValue* value) {
  if (value != nullptr && value->dim >= 0) return value->dim;
  const auto integer = AsInteger(value);
  return integer && *integer >= 0 ? solver_.Constant(*integer) : solver_.Fresh();
}

Scope* Evaluator::NewScope(Scope* outer) {
  scopes_.emplace_back();
  scopes_.back().outer = outer;
  return &scopes_.back();
}

bool Evaluator::Spend() { return ++steps_ < kMostSteps; }

std::optional<std::int64_t> Evaluator::Attribute(const KnownValue* model,
                                                 std::string_view name) const {
  const auto found = model->attributes.find(name);
  return found == model->attributes.end() ? std::nullopt : AsInteger(found->second);
}

KnownValue* Evaluator::Lookup(std::string_view name, Scope* scope) {
  for (; scope != nullptr; scope = scope->outer) {
    const auto found = scope->names.find(name);
    if (found != scope->names.end()) return found->second;
  }
  return External("builtins." + std::string(name));
}

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
    // What leads to an error does not hold.
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
    // A break ends the loop; for sizes it is as good to go on after a continue.
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
    // A branch that may not be taken does not replace what is known, unless with something better.
    if (weak_ > 0 && found != scope->names.end() && !found->second->Is(ValueKind::kUnknown) &&
        !found->second->Is(ValueKind::kNone)) {
      return;
    }
    scope->names[std::string(target.Text())] = value;
  } else if (target.Is("attribute")) {
    KnownValue* object = Evaluate(target.Field("object"), scope);
    if (object->Is(ValueKind::kObject)) {
      object->attributes[std::string(target.Field("attribute").Text())] = value;
      // A Sequential runs what is assigned to it, too.
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
    // `b, c, h, w = x.shape` tells the rank.
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

std::string Evaluator::TorchBase(std::string_view method) {
  const KnownValue* model = Lookup("Model", globals_);
  std::string external;
  if (!model->Is(ValueKind::kClass)) return "";
  if (FindInClass(model->node, method, false, &external) != nullptr) return "";
  if (!external.starts_with("torch.nn.") || external == "torch.nn.Module") return "";
  return external.substr(external.rfind('.') + 1);
}

KnownValue* Evaluator::Construct(const std::vector<GivenArgument>& arguments,
                                 std::vector<HoleFacts>* holes) {
  holes_ = holes;
  const KnownValue* model = Lookup("Model", globals_);
  if (!model->Is(ValueKind::kClass)) return Unknown();
  Keywords values;
  Arguments positional;
  for (const auto& [name, expression, soft] : arguments) {
    if (expression == "?") {
      KnownValue* hole = New(ValueKind::kHole);
      hole->integer = static_cast<std::int64_t>(holes->size());
      holes->push_back({name, "", "", Evidence::kName});
      positional.push_back(values[name] = hole);
      continue;
    }
    auto text = std::make_unique<Text>();
    text->source = expression;
    text->tree = SyntaxTree::Parse(Grammar::kPython, text->source);
    const SyntaxNode statement = FirstChild(text->tree.Root());
    const SyntaxNode node = statement ? FirstChild(statement) : SyntaxNode();
    KnownValue* value = node ? Evaluate(node, globals_) : Unknown();
    if (value->Is(ValueKind::kSequence) && value->items.size() > 2) {
      sequence_length_ = value->items.size();
    }
    if (soft && (value->Is(ValueKind::kInteger) || value->Is(ValueKind::kNone))) {
      value->soft = static_cast<int>(holes->size());
      holes->push_back({name, expression, "", Evidence::kName});
    }
    positional.push_back(values[name] = value);
    texts_.push_back(std::move(text));
  }
  // Torch's own constructors know their parameters by position.
  const bool own = TorchBase("__init__").empty();
  return own ? Instantiate(const_cast<KnownValue*>(model), {}, values)
             : Instantiate(const_cast<KnownValue*>(model), positional, {});
}

std::vector<KnownValue*> Evaluator::Forward(KnownValue* model, std::vector<InputFacts>* inputs) {
  inputs_ = inputs;
  std::vector<KnownValue*> tensors;
  for (std::size_t i = 0; i < inputs->size(); ++i) {
    const InputFacts& facts = (*inputs)[i];
    KnownValue* tensor = Tensor({}, facts.type);
    tensor->origin = static_cast<int>(i);
    tensor->ranked = facts.rank.has_value();
    if (!tensor->ranked) tensor->follows = static_cast<int>(i);
    for (int d = 0; d < facts.rank.value_or(1); ++d) tensor->dims.push_back(solver_.Fresh());
    tensors.push_back(tensor);
  }
  CallObject(model, tensors, {});
  return tensors;
}

}  // namespace kernelmill
