#include <algorithm>
#include <cmath>
#include <set>

#include "stages/mine/evaluate/evaluator.h"

namespace kernelmill {
namespace {

constexpr int kDeepestCall = 24;

}  // namespace

KnownValue* Evaluator::GetAttribute(KnownValue* value, std::string_view name) {
  switch (value->kind) {
    case ValueKind::kObject: {
      const auto found = value->attributes.find(name);
      if (found != value->attributes.end()) return found->second;
      std::string external;
      KnownValue* member = FindInClass(value->target->node, name, false, &external);
      if (member != nullptr) {
        if (!member->Is(ValueKind::kFunction)) return member;
        KnownValue* bound = New(ValueKind::kFunction);
        *bound = *member;
        if (member->text != "static") bound->target = value;
        return member->text == "property" ? CallFunction(bound, {}, {}) : bound;
      }
      if (name == "training") return Bool(true);
      KnownValue* method = New(ValueKind::kMethod);
      method->target = value;
      method->text = name;
      return method;
    }
    case ValueKind::kSuper: {
      std::string external;
      KnownValue* member = FindInClass(value->node, name, true, &external);
      if (member == nullptr) {
        KnownValue* method = New(ValueKind::kMethod);
        method->target = value;
        method->text = name;
        return method;
      }
      KnownValue* bound = New(ValueKind::kFunction);
      *bound = *member;
      bound->target = value->target;
      return bound;
    }
    case ValueKind::kClass: {
      std::string external;
      KnownValue* member = FindInClass(value->node, name, false, &external);
      return member == nullptr ? Unknown() : member;
    }
    case ValueKind::kExternal: {
      const std::string full = value->text + "." + std::string(name);
      if (full == "math.pi") return Float(3.141592653589793);
      if (full == "math.inf") return Float(INFINITY);
      return External(full);
    }
    case ValueKind::kTensor:
      if (name == "shape") {
        if (!value->ranked) break;
        std::vector<KnownValue*> sizes;
        for (Dim dim : value->dims) sizes.push_back(SizeOf(dim));
        return Sequence(std::move(sizes));
      }
      if (name == "ndim") {
        return value->ranked ? Integer(static_cast<std::int64_t>(value->dims.size())) : Unknown();
      }
      if (name == "T" || name == "mT" || name == "H") return Operate(name, {value}, {});
      if (name == "data" || name == "real") return value;
      if (name == "device" || name == "dtype") return Unknown();
      break;
    case ValueKind::kLayer: {
      const auto found = value->attributes.find(name);
      if (found != value->attributes.end()) return found->second;
      if (name == "weight" || name == "bias") return Unknown();
      break;
    }
    case ValueKind::kHole: {
      // Numbers have no attributes: this hole is an object, which the evaluator cannot make.
      if (holes_ != nullptr) (*holes_)[static_cast<std::size_t>(value->integer)].object = true;
      return Unknown();
    }
    case ValueKind::kUnknown:
    case ValueKind::kNone:
      return Unknown();
    default:
      break;
  }
  KnownValue* method = New(ValueKind::kMethod);
  method->target = value;
  method->text = name;
  return method;
}

// Finds the member of a class or of its bases in the slice. If a base is a class of torch, its name
// is stored in `external`.
KnownValue* Evaluator::FindInClass(const SyntaxNode& class_node, std::string_view name,
                                   bool skip_own, std::string* external) {
  std::vector<SyntaxNode> pending = {class_node};
  std::set<std::size_t> seen;
  bool own = true;
  while (!pending.empty()) {
    const SyntaxNode node = pending.back();
    pending.pop_back();
    if (!seen.insert(node.First()).second) continue;
    if (!(own && skip_own)) {
      Scope* members = NewScope(globals_);
      const SyntaxNode body = node.Field("body");
      if (body) {
        for (const SyntaxNode& statement : body.Children()) {
          // Runs only statements that may bind the name, because class bodies can be long.
          const SyntaxNode definition =
              statement.Is("decorated_definition") ? statement.Field("definition") : statement;
          const bool binds =
              definition.Is("function_definition")
                  ? definition.Field("name").Text() == name
                  : statement.Is("expression_statement") && statement.Text().starts_with(name);
          if (binds && Spend()) RunStatement(statement, members);
        }
      }
      const auto found = members->names.find(name);
      if (found != members->names.end()) {
        // Functions see the module's names, not the class's.
        if (found->second->Is(ValueKind::kFunction)) {
          found->second->scope = NewScope(globals_);
          found->second->scope->class_node = node;
        }
        return found->second;
      }
    }
    own = false;
    const SyntaxNode bases = node.Field("superclasses");
    if (!bases) continue;
    const auto children = bases.Children();
    for (auto base = children.rbegin(); base != children.rend(); ++base) {
      if (base->Is("keyword_argument")) continue;
      const KnownValue* value = Evaluate(*base, globals_);
      if (value->Is(ValueKind::kClass)) pending.push_back(value->node);
      if (value->Is(ValueKind::kExternal) && external->empty()) *external = value->text;
    }
  }
  return nullptr;
}

KnownValue* Evaluator::CallNode(const SyntaxNode& node, Scope* scope) {
  const SyntaxNode function = node.Field("function"), list = node.Field("arguments");
  if (function.Is("identifier") && function.Text() == "super") {
    const Scope* method = scope;
    while (method != nullptr && method->self == nullptr) method = method->outer;
    if (method == nullptr) return Unknown();
    KnownValue* super = New(ValueKind::kSuper);
    super->target = method->self;
    super->node = method->class_node;
    return super;
  }
  KnownValue* callee = Evaluate(function, scope);
  if (callee->Is(ValueKind::kExternal) && callee->text == "torch._assert" &&
      !list.Children().empty()) {
    Assume(list.Children()[0], true, scope);
    return None();
  }
  Arguments arguments;
  Keywords keywords;
  if (list.Is("generator_expression")) {
    arguments.push_back(Evaluate(list, scope));
  } else {
    for (const SyntaxNode& child : list.Children()) {
      if (child.Is("keyword_argument")) {
        keywords[std::string(child.Field("name").Text())] = Evaluate(child.Field("value"), scope);
      } else if (child.Is("list_splat")) {
        const auto inner = child.Children();
        KnownValue* spread = inner.empty() ? Unknown() : Evaluate(inner[0], scope);
        const auto items = Iterate(spread);
        if (!items) {
          // *x.shape[:2], for example: the number of arguments is unknown.
          arguments.push_back(Unknown());
          continue;
        }
        arguments.insert(arguments.end(), items->begin(), items->end());
      } else if (child.Is("dictionary_splat")) {
        const auto inner = child.Children();
        const KnownValue* spread = inner.empty() ? Unknown() : Evaluate(inner[0], scope);
        if (spread->Is(ValueKind::kDictionary)) {
          for (const auto& [key, item] : spread->attributes) keywords[key] = item;
        }
      } else {
        arguments.push_back(Evaluate(child, scope));
      }
    }
  }
  return Call(callee, arguments, keywords);
}

KnownValue* Evaluator::Call(KnownValue* callee, const Arguments& arguments,
                            const Keywords& keywords) {
  if (depth_ > kDeepestCall * 5 || !Spend()) return Unknown();
  switch (callee->kind) {
    case ValueKind::kFunction:
      return CallFunction(callee, arguments, keywords);
    case ValueKind::kClass:
      return Instantiate(callee, arguments, keywords);
    case ValueKind::kObject:
      return CallObject(callee, arguments, keywords);
    case ValueKind::kExternal:
      return CallExternal(callee->text, arguments, keywords);
    case ValueKind::kLayer:
      return ApplyLayer(callee, arguments, keywords);
    case ValueKind::kMethod:
      return CallMethod(callee, arguments, keywords);
    case ValueKind::kHole:
      return CallHole(callee, arguments);
    case ValueKind::kPartial: {
      Arguments all = callee->items;
      all.insert(all.end(), arguments.begin(), arguments.end());
      Keywords merged = callee->attributes;
      for (const auto& [key, value] : keywords) merged[key] = value;
      return Call(callee->target, all, merged);
    }
    default:
      FillNone(callee, true);
      return Unknown();
  }
}

KnownValue* Evaluator::CallFunction(KnownValue* function, const Arguments& arguments,
                                    const Keywords& keywords) {
  if (depth_ > kDeepestCall * 4) return Unknown();
  ++depth_;
  Scope* scope = NewScope(function->scope);
  std::vector<PythonParameter> parameters = ReadParameters(function->node);
  std::size_t first = 0;
  if (function->target != nullptr && !parameters.empty()) {
    scope->self = function->target;
    scope->class_node = function->scope->class_node;
    scope->names[std::string(parameters[0].name)] = function->target;
    first = 1;
  }
  std::size_t next = 0;
  std::set<std::string, std::less<>> used;
  for (std::size_t i = first; i < parameters.size(); ++i) {
    const PythonParameter& parameter = parameters[i];
    const std::string name(parameter.name);
    switch (parameter.kind) {
      case PythonParameter::Kind::kRest: {
        std::vector<KnownValue*> rest;
        while (next < arguments.size()) rest.push_back(arguments[next++]);
        scope->names[name] = Sequence(std::move(rest));
        continue;
      }
      case PythonParameter::Kind::kKeywords: {
        KnownValue* rest = New(ValueKind::kDictionary);
        for (const auto& [key, value] : keywords) {
          if (!used.contains(key)) rest->attributes[key] = value;
        }
        scope->names[name] = rest;
        continue;
      }
      default:
        break;
    }
    const auto keyword = keywords.find(name);
    if (parameter.kind == PythonParameter::Kind::kPositional && next < arguments.size()) {
      scope->names[name] = arguments[next++];
    } else if (keyword != keywords.end()) {
      scope->names[name] = keyword->second;
      used.insert(name);
    } else {
      scope->names[name] =
          parameter.default_value ? Evaluate(parameter.default_value, function->scope) : Unknown();
    }
  }
  KnownValue* result = nullptr;
  const SyntaxNode body = function->node.Field("body");
  if (function->node.Is("lambda")) {
    result = Evaluate(body, scope);
  } else if (body.Text().find("yield") == std::string_view::npos) {
    // Whether the caller's branch is taken does not affect the returns of this body.
    RunBlock(body, scope);
    result = scope->result != nullptr ? scope->result : None();
  }
  --depth_;
  return result != nullptr ? result : Unknown();
}

KnownValue* Evaluator::Instantiate(KnownValue* class_value, const Arguments& arguments,
                                   const Keywords& keywords) {
  if (class_value->text == "dataclass") {
    return InstantiateDataclass(class_value, arguments, keywords);
  }
  KnownValue* object = New(ValueKind::kObject);
  object->target = class_value;
  std::string external;
  KnownValue* constructor = FindInClass(class_value->node, "__init__", false, &external);
  if (constructor != nullptr) {
    KnownValue* bound = New(ValueKind::kFunction);
    *bound = *constructor;
    bound->target = object;
    CallFunction(bound, arguments, keywords);
    return object;
  }
  if (external.starts_with("torch.nn.") && external != "torch.nn.Module") {
    object->layer = MakeLayer(external, arguments, keywords);
    return object;
  }
  return external.empty() || external == "torch.nn.Module" ? object : Unknown();
}

// Sets the fields of the class's body from the arguments, and the others to their defaults.
KnownValue* Evaluator::InstantiateDataclass(KnownValue* class_value, const Arguments& arguments,
                                            const Keywords& keywords) {
  KnownValue* object = New(ValueKind::kObject);
  object->target = class_value;
  std::size_t next = 0;
  for (const SyntaxNode& statement : class_value->node.Field("body").Children()) {
    const auto children = statement.Children();
    if (!statement.Is("expression_statement") || children.empty()) continue;
    if (!children[0].Is("assignment") || !children[0].Field("type")) continue;
    const std::string name(children[0].Field("left").Text());
    const SyntaxNode otherwise = children[0].Field("right");
    const auto keyword = keywords.find(name);
    KnownValue*& field = object->attributes[name];
    if (next < arguments.size()) {
      field = arguments[next++];
    } else if (keyword != keywords.end()) {
      field = keyword->second;
    } else {
      field = otherwise ? Evaluate(otherwise, class_value->scope) : Unknown();
    }
  }
  return object;
}

KnownValue* Evaluator::CallObject(KnownValue* object, const Arguments& arguments,
                                  const Keywords& keywords) {
  std::string external;
  if (!object->Is(ValueKind::kObject)) return Unknown();
  KnownValue* forward = FindInClass(object->target->node, "forward", false, &external);
  if (forward == nullptr) {
    return object->layer != nullptr ? ApplyLayer(object->layer, arguments, keywords) : Unknown();
  }
  KnownValue* bound = New(ValueKind::kFunction);
  *bound = *forward;
  bound->target = object;
  return CallFunction(bound, arguments, keywords);
}

KnownValue* Evaluator::CallMethod(KnownValue* method, const Arguments& arguments,
                                  const Keywords& keywords) {
  KnownValue* target = method->target;
  const std::string& name = method->text;
  if (target->Is(ValueKind::kSuper)) {
    std::string external;
    FindInClass(target->node, "?", true, &external);
    const bool derives = external.starts_with("torch.nn.") && external != "torch.nn.Module";
    if (name == "__init__" && derives) {
      target->target->layer = MakeLayer(external, arguments, keywords);
    } else if (name == "forward" && target->target->layer != nullptr) {
      return ApplyLayer(target->target->layer, arguments, keywords);
    }
    return Unknown();
  }
  if (target->Is(ValueKind::kTensor)) {
    Arguments all = {target};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return Operate(name, all, keywords);
  }
  if (target->Is(ValueKind::kObject)) {
    if ((name == "register_buffer" || name == "register_parameter" || name == "add_module" ||
         name == "register_module") &&
        arguments.size() >= 2 && arguments[0]->Is(ValueKind::kString)) {
      target->attributes[arguments[0]->text] = arguments[1];
      if (name.ends_with("module") && target->layer != nullptr) {
        target->layer->items.push_back(arguments[1]);
      }
      return None();
    }
    if (name == "to" || name == "eval" || name == "train" || name == "requires_grad_")
      return target;
    if (target->layer == nullptr) return Unknown();
    target = target->layer;
  }
  if (target->Is(ValueKind::kSequence) || target->Is(ValueKind::kLayer)) {
    if (name == "append" && !arguments.empty() && weak_ == 0) target->items.push_back(arguments[0]);
    if ((name == "extend" || name == "insert") && !arguments.empty() && weak_ == 0) {
      if (name == "insert" && arguments.size() == 2) {
        const auto at = AsInteger(arguments[0]);
        if (at && *at >= 0 && *at <= static_cast<std::int64_t>(target->items.size())) {
          target->items.insert(target->items.begin() + *at, arguments[1]);
        }
      } else if (const auto more = Iterate(arguments[0])) {
        target->items.insert(target->items.end(), more->begin(), more->end());
      }
    }
    if (name == "add_module" && arguments.size() == 2) {
      target->items.push_back(arguments[1]);
      if (arguments[0]->Is(ValueKind::kString))
        target->attributes[arguments[0]->text] = arguments[1];
    }
    if (name == "pop" && !target->items.empty() && weak_ == 0) {
      KnownValue* last = target->items.back();
      target->items.pop_back();
      return last;
    }
    if (name == "numel") return SizeOf(solver_.Fresh());
    if (name == "to" || name == "eval" || name == "train") return target;
    return name == "append" || name == "extend" ? target : Unknown();
  }
  if (target->Is(ValueKind::kDictionary)) {
    if (name == "get" && !arguments.empty() && arguments[0]->Is(ValueKind::kString)) {
      const auto found = target->attributes.find(arguments[0]->text);
      if (found != target->attributes.end()) return found->second;
      return arguments.size() > 1 ? arguments[1] : None();
    }
    std::vector<KnownValue*> items;
    for (const auto& [key, item] : target->attributes) {
      if (name == "items") items.push_back(Sequence({String(key), item}));
      if (name == "values") items.push_back(item);
      if (name == "keys") items.push_back(String(key));
    }
    if (name == "items" || name == "values" || name == "keys") return Sequence(std::move(items));
    return Unknown();
  }
  if (target->Is(ValueKind::kString) && (name == "lower" || name == "strip")) return target;
  return Unknown();
}

}  // namespace kernelmill
