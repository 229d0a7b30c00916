// What a Python file defines, imports and uses: everything the slicer needs to know about it, so
// that a file is parsed once. Byte offsets are into `source`; lines are 1-based.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/json.h"
#include "manifests/status.h"

namespace kernelmill {

// A name that a statement takes from the module's scope (or from builtins), with the attributes
// that follow it: "nn.Module". Names bound by an enclosing function, class or comprehension are not
// uses.
struct PythonUse {
  std::string chain;
  // Evaluated when the statement runs: bases, decorators, defaults, annotations, class bodies. The
  // rest is evaluated when somebody calls a function.
  bool eager = false;
  std::vector<std::int64_t> offsets;  // Of the first byte, ascending.
};

// A name that a statement binds in the module's scope.
struct PythonBinding {
  std::string name;
  std::vector<std::int64_t> offsets;
};

struct PythonImport {
  std::string module;      // Without leading dots; may be empty for "from . import x".
  std::int64_t level = 0;  // Leading dots.
  std::string name;        // "" for "import module", "*" for a star import.
  std::string alias;       // The name that it binds; "" for a star import.
  // The whole import statement, for imports inside of definitions, which the slicer takes out.
  std::int64_t first = 0;
  std::int64_t last = 0;
};

enum class PythonStatementKind { kImport, kClass, kFunction, kAssignment, kCompound, kOther };

// One statement of the module's top level.
struct PythonStatement {
  PythonStatementKind kind = PythonStatementKind::kOther;
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t first_line = 0;
  std::int64_t last_line = 0;
  bool has_error = false;
  std::vector<PythonBinding> bindings;
  std::vector<PythonUse> uses;
  std::vector<PythonImport> imports;    // Its own, or those nested in it.
  std::vector<std::string> attributes;  // Attribute names that reach the interpreter (unsafe).
  std::vector<std::string> bases;       // Of a class: chains; "" for one that is no chain.
  std::vector<std::string> methods;     // Of a class: names, in order.

  bool Binds(std::string_view name) const;
};

struct PythonArgument {
  std::string name;        // "" for a positional one, "*" or "**" for unpacking.
  std::string expression;  // Source text when it is a literal, else "".
};

// A call of something with a capital first letter: a construction, most likely.
struct PythonCall {
  std::string callee;
  std::vector<PythonArgument> arguments;
};

struct PythonFile {
  std::string source;
  std::vector<PythonStatement> statements;
  std::vector<PythonCall> calls;

  // `source` must be UTF-8. Never fails: what cannot be parsed has has_error.
  static PythonFile Parse(std::string source);

  Json ToJson() const;
  static Result<PythonFile> FromJson(const Json& json);
};

}  // namespace kernelmill
