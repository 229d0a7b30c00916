// The values of the evaluator (evaluator.h): what it knows about one Python value, and the scopes
// that hold the names of values.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "parsers/syntax_tree.h"
#include "stages/mine/evaluate/shape_solver.h"

namespace kernelmill {

enum class ValueKind {
  kUnknown,
  kNone,
  kBool,        // integer
  kInteger,     // integer
  kSize,        // dim: an integer that the solver may not know yet
  kFloat,       // real
  kString,      // text
  kSequence,    // items: list or tuple
  kDictionary,  // attributes
  kFunction,    // node, scope; target is the bound self, if any
  kClass,       // node, scope
  kObject,      // target is its class; attributes; layer, if it derives from one of torch's
  kSuper,       // target is the object, node the class whose bases are meant
  kExternal,    // text: the full dotted name
  kLayer,       // text: the name of torch's class; attributes: its arguments; items: its children
  kMethod,      // target, text: the method `text` of a tensor, sequence or other builtin
  kPartial,     // target, items, attributes: functools.partial
  kTensor,      // dims, ranked, input, origin
  kHole,        // a constructor's parameter whose value is not known yet; integer: its index
};

enum class ElementKind { kFloat, kInteger, kBool };

struct Scope;

struct KnownValue {
  ValueKind kind = ValueKind::kUnknown;
  std::int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<KnownValue*> items;
  std::map<std::string, KnownValue*, std::less<>> attributes;
  SyntaxNode node;
  Scope* scope = nullptr;
  KnownValue* target = nullptr;
  KnownValue* layer = nullptr;

  // The index of the constructor's argument, for an integer that a name suggested (it may turn out
  // to be a tuple) and for a default of None (it may not suffice); -1 for other values.
  int soft = -1;
  Dim dim = -1;
  // For a tensor. When its rank is unknown, dims holds its last dimension only.
  bool ranked = true;
  std::vector<Dim> dims;
  int follows = -1;  // The input of unknown rank whose rank this tensor shares.
  int origin = -1;   // The input whose values the tensor holds unchanged.
  ElementKind type = ElementKind::kFloat;

  bool Is(ValueKind other) const { return kind == other; }
  bool IsInteger() const { return kind == ValueKind::kInteger || kind == ValueKind::kBool; }
};

// The names of one function call, or of the module.
struct Scope {
  std::map<std::string, KnownValue*, std::less<>> names;
  Scope* outer = nullptr;
  SyntaxNode class_node;         // For a method: the class that defines it.
  KnownValue* self = nullptr;    // For a method: its first argument.
  KnownValue* result = nullptr;  // The returned value.
  bool returned = false;
  bool broken = false;  // A break or continue has been executed.
};

}  // namespace kernelmill
