// Calls of functions that the slice does not define: builtins, math, functools, and torch by full
// names.
#include <algorithm>
#include <cmath>

#include "stages/mine/evaluate/evaluator.h"
#include "stages/mine/import_policy.h"

namespace kernelmill {
namespace {

const KnownValue* Keyword(const Evaluator::Keywords& keywords, std::string_view name) {
  const auto found = keywords.find(name);
  return found == keywords.end() ? nullptr : found->second;
}

}  // namespace

KnownValue* Evaluator::CallExternal(const std::string& full, const Arguments& arguments,
                                    const Keywords& keywords) {
  const std::string_view name = std::string_view(full).substr(full.rfind('.') + 1);
  if (full.starts_with("builtins.")) return CallBuiltin(name, arguments, keywords);
  if (full == "functools.partial" && !arguments.empty()) {
    KnownValue* partial = New(ValueKind::kPartial);
    partial->target = arguments[0];
    partial->items.assign(arguments.begin() + 1, arguments.end());
    partial->attributes = keywords;
    return partial;
  }
  if (full.starts_with("math.")) {
    if (arguments.empty()) return Unknown();
    if (name == "sqrt" && arguments[0]->Is(ValueKind::kSize)) {
      return SizeArithmetic("**", arguments[0], Float(0.5));
    }
    const auto x = AsNumber(arguments[0]);
    if (!x) return Unknown();
    if (name == "sqrt" && *x >= 0) return Float(std::sqrt(*x));
    if (name == "log2" && *x > 0) return Float(std::log2(*x));
    if (name == "log" && *x > 0) {
      const auto base = arguments.size() > 1 ? AsNumber(arguments[1]) : std::nullopt;
      return Float(base && *base > 0 ? std::log(*x) / std::log(*base) : std::log(*x));
    }
    if (name == "ceil") return Integer(static_cast<std::int64_t>(std::ceil(*x)));
    if (name == "floor") return Integer(static_cast<std::int64_t>(std::floor(*x)));
    if (name == "prod") return CallBuiltin("prod", arguments, keywords);
    return Unknown();
  }
  if (full == "copy.deepcopy" || full == "copy.copy")
    return arguments.empty() ? Unknown() : arguments[0];
  if (full == "collections.OrderedDict") {
    return arguments.empty() ? New(ValueKind::kDictionary) : arguments[0];
  }
  if (full.starts_with("einops.layers.")) return MakeLayer(full, arguments, keywords);
  if (full.starts_with("einops.")) return Operate(name, arguments, keywords);
  if (IsTorchModuleClass(full)) return MakeLayer(full, arguments, keywords);
  if (full == "torch.nn.Parameter" || full == "torch.nn.parameter.Parameter") {
    if (arguments.empty()) return Unknown();
    KnownValue* copy = New(ValueKind::kUnknown);
    *copy = *arguments[0];
    copy->origin = -1;
    return copy;
  }
  if (full == "torch.utils.checkpoint.checkpoint" && !arguments.empty()) {
    return Call(arguments[0], {arguments.begin() + 1, arguments.end()}, {});
  }
  if (full.starts_with("torch.")) return Operate(name, arguments, keywords);
  return Unknown();
}

KnownValue* Evaluator::CallBuiltin(std::string_view name, const Arguments& arguments,
                                   const Keywords& keywords) {
  if (arguments.empty()) {
    if (name == "list" || name == "tuple") return Sequence({});
    if (name == "dict") {
      KnownValue* made = New(ValueKind::kDictionary);
      made->attributes = keywords;
      return made;
    }
    return Unknown();
  }
  KnownValue* first = arguments[0];
  if (name == "print") return None();
  if (name == "isinstance" && arguments.size() == 2) {
    const KnownValue* type = arguments[1];
    std::vector<const KnownValue*> types = {type};
    if (type->Is(ValueKind::kSequence)) types.assign(type->items.begin(), type->items.end());
    if (first->Is(ValueKind::kUnknown) || first->Is(ValueKind::kHole)) return Unknown();
    for (const KnownValue* candidate : types) {
      if (candidate->Is(ValueKind::kClass)) {
        if (!first->Is(ValueKind::kObject)) continue;
        if (first->target->node.First() == candidate->node.First()) return Bool(true);
        continue;
      }
      if (!candidate->Is(ValueKind::kExternal)) return Unknown();
      const std::string& text = candidate->text;
      const bool sequence = first->Is(ValueKind::kSequence);
      if ((text == "builtins.int" && (first->IsInteger() || first->Is(ValueKind::kSize))) ||
          (text == "builtins.float" && first->Is(ValueKind::kFloat)) ||
          (text == "builtins.bool" && first->Is(ValueKind::kBool)) ||
          (text == "builtins.str" && first->Is(ValueKind::kString)) ||
          ((text == "builtins.tuple" || text == "builtins.list" ||
            text.find("Iterable") != std::string::npos ||
            text.find("Sequence") != std::string::npos) &&
           sequence) ||
          (text == "torch.Tensor" && first->Is(ValueKind::kTensor))) {
        return Bool(true);
      }
      if (text.starts_with("torch.nn.") && first->Is(ValueKind::kLayer)) {
        if (first->text == text.substr(text.rfind('.') + 1)) return Bool(true);
      }
    }
    return Bool(false);
  }
  if (name == "len") {
    FillSoft(first, 0);
    if (first->Is(ValueKind::kHole)) Iterate(first);
    if (first->Is(ValueKind::kTensor) && first->ranked && !first->dims.empty()) {
      return SizeOf(first->dims[0]);
    }
    if (first->Is(ValueKind::kObject) && first->layer != nullptr) first = first->layer;
    const auto items = first->Is(ValueKind::kTensor) ? std::nullopt : Iterate(first);
    return items ? Integer(static_cast<std::int64_t>(items->size())) : Unknown();
  }
  if (name == "range") {
    if (first->Is(ValueKind::kHole)) FillHole(first, "2", Evidence::kConstraint);
    std::int64_t bounds[3] = {0, 0, 1};
    for (std::size_t i = 0; i < arguments.size() && i < 3; ++i) {
      const auto value = AsInteger(arguments[i]);
      if (!value) return Unknown();
      bounds[arguments.size() == 1 ? 1 : i] = *value;
    }
    if (bounds[2] == 0 || std::llabs(bounds[1] - bounds[0]) > 256) return Unknown();
    std::vector<KnownValue*> items;
    for (std::int64_t i = bounds[0]; bounds[2] > 0 ? i < bounds[1] : i > bounds[1];
         i += bounds[2]) {
      items.push_back(Integer(i));
    }
    return Sequence(std::move(items));
  }
  if (name == "int" || name == "round" || name == "float") FillNone(first, false);
  if (name == "int" || name == "round") {
    if (first->Is(ValueKind::kSize) || first->IsInteger()) return first;
    const auto value = AsNumber(first);
    return value && std::fabs(*value) < 1e15
               ? Integer(static_cast<std::int64_t>(name == "int" ? *value : std::nearbyint(*value)))
               : Unknown();
  }
  if (name == "float") {
    const auto value = AsNumber(first);
    return value ? Float(*value) : Unknown();
  }
  if (name == "bool") {
    const auto truth = Truth(first);
    return truth ? Bool(*truth) : Unknown();
  }
  if (name == "callable") {
    return Bool(first->Is(ValueKind::kFunction) || first->Is(ValueKind::kClass) ||
                first->Is(ValueKind::kLayer) || first->Is(ValueKind::kObject));
  }
  if (name == "hasattr" || name == "getattr") {
    if (arguments.size() < 2 || !arguments[1]->Is(ValueKind::kString)) return Unknown();
    if (name == "hasattr") {
      return first->Is(ValueKind::kObject) ? Bool(first->attributes.contains(arguments[1]->text))
                                           : Unknown();
    }
    return GetAttribute(first, arguments[1]->text);
  }
  if (name == "setattr" && arguments.size() == 3 && first->Is(ValueKind::kObject) &&
      arguments[1]->Is(ValueKind::kString)) {
    first->attributes[arguments[1]->text] = arguments[2];
    return None();
  }
  if (name == "zip") {
    std::vector<std::vector<KnownValue*>> columns;
    std::size_t rows = SIZE_MAX;
    for (KnownValue* argument : arguments) {
      const auto items = Iterate(argument);
      if (!items) return Unknown();
      rows = std::min(rows, items->size());
      columns.push_back(*items);
    }
    std::vector<KnownValue*> items;
    for (std::size_t row = 0; row < rows; ++row) {
      std::vector<KnownValue*> tuple;
      for (const auto& column : columns) tuple.push_back(column[row]);
      items.push_back(Sequence(std::move(tuple)));
    }
    return Sequence(std::move(items));
  }
  if (name == "map" && arguments.size() == 2) {
    const auto list = Iterate(arguments[1]);
    if (!list) return Unknown();
    std::vector<KnownValue*> items;
    for (KnownValue* item : *list) items.push_back(Call(first, {item}, {}));
    return Sequence(std::move(items));
  }
  // max(a, b) and abs(a) take numbers.
  const bool numbers_only =
      name == "abs" || ((name == "max" || name == "min") && arguments.size() > 1);
  const auto items = numbers_only ? std::nullopt : Iterate(first);
  if (name == "enumerate" || name == "list" || name == "tuple" || name == "reversed" ||
      name == "iter" || name == "sorted") {
    if (!items) return Unknown();
    std::vector<KnownValue*> made;
    for (std::size_t i = 0; i < items->size(); ++i) {
      made.push_back(name == "enumerate"
                         ? Sequence({Integer(static_cast<std::int64_t>(i)), (*items)[i]})
                         : (*items)[i]);
    }
    if (name == "reversed") std::reverse(made.begin(), made.end());
    return Sequence(std::move(made));
  }
  if (name == "next") return items && !items->empty() ? (*items)[0] : Unknown();
  if (name == "sum" || name == "prod" || name == "max" || name == "min") {
    std::vector<KnownValue*> numbers = arguments.size() > 1 ? arguments : items.value_or(arguments);
    if (Keyword(keywords, "key") != nullptr || numbers.empty()) return Unknown();
    KnownValue* total = numbers[0];
    for (std::size_t i = 1; i < numbers.size(); ++i) {
      if (name == "sum" || name == "prod") {
        total = Binary(name == "sum" ? "+" : "*", total, numbers[i]);
        continue;
      }
      const auto a = AsNumber(total), b = AsNumber(numbers[i]);
      if (!a || !b) return Unknown();
      if (name == "max" ? *b > *a : *b < *a) total = numbers[i];
    }
    return total;
  }
  if (name == "all" || name == "any") {
    if (!items) return Unknown();
    const bool all = name == "all";
    bool known = true;
    for (const KnownValue* item : *items) {
      const auto truth = Truth(item);
      if (!truth) known = false;
      if (truth && *truth != all) return Bool(!all);
    }
    return known ? Bool(all) : Unknown();
  }
  if (name == "abs") {
    const auto value = AsNumber(first);
    if (first->IsInteger()) return Integer(std::llabs(first->integer));
    return value ? Float(std::fabs(*value)) : first;
  }
  return Unknown();
}

}  // namespace kernelmill
