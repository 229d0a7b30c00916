#include "stages/mine/evaluate/evaluator.h"

namespace kernelmill {
namespace {

constexpr int kMostSteps = 300'000;

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
KnownValue* Evaluator::Tensor(std::vector<Dim> dims, ElementKind type) {
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

SyntaxNode Evaluator::FirstChild(const SyntaxNode& node) {
  const auto children = node.Children();
  return children.empty() ? SyntaxNode() : children[0];
}

KnownValue* Evaluator::Lookup(std::string_view name, Scope* scope) {
  for (; scope != nullptr; scope = scope->outer) {
    const auto found = scope->names.find(name);
    if (found != scope->names.end()) return found->second;
  }
  return External("builtins." + std::string(name));
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
  // The parameters of torch's constructors are known by position.
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
