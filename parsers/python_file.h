// The parsed form of a Python file: its top-level statements and imports, and the names that they
// bind and use. The step "read" parses every Python file of a repository once and stores the result
// as JSON; it has everything that the module slicer needs (stages/mine/slicer.h). Offsets are bytes
// of `source`; lines are 1-based.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/json.h"
#include "manifests/status.h"

namespace kernelmill {

// A name that a statement uses from the module's scope or from builtins, with the attributes after
// it: "nn.Module". Names bound by an enclosing function, class or comprehension do not count.
struct PythonUse {
  std::string chain;
  // Evaluated when the statement runs: bases, decorators, defaults, annotations, class bodies.
  // Other uses are evaluated when a function is called.
  bool eager = false;
  std::vector<std::int64_t> offsets;  // The offsets of the first byte of each use, ascending.
};

// A name that a statement binds in the module's scope.
struct PythonBinding {
  std::string name;
  std::vector<std::int64_t> offsets;
};

struct PythonImport {
  std::string module;      // Without leading dots; may be empty, as in "from . import x".
  std::int64_t level = 0;  // The number of leading dots.
  std::string name;        // "" for "import module", "*" for a star import.
  std::string alias;       // The name that it binds; "" for a star import.
  // For an import inside of a definition, which the slicer removes: the whole import statement.
  std::int64_t first = 0;
  std::int64_t last = 0;
};

enum class PythonStatementKind { kImport, kClass, kFunction, kAssignment, kCompound, kOther };

// One statement at the top level of the module.
struct PythonStatement {
  PythonStatementKind kind = PythonStatementKind::kOther;
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t first_line = 0;
  std::int64_t last_line = 0;
  bool has_error = false;
  std::vector<PythonBinding> bindings;
  std::vector<PythonUse> uses;
  std::vector<PythonImport> imports;    // The statement's own imports, or those nested in it.
  std::vector<std::string> attributes;  // Unsafe attribute names, which reach the interpreter.
  std::vector<std::string> bases;  // For a class: its bases; "" for one that is not a dotted name.
  std::vector<std::string> methods;  // For a class: the names of its methods, in order.

  bool Binds(std::string_view name) const;
};

struct PythonArgument {
  std::string name;        // "" for a positional argument, "*" or "**" for unpacking.
  std::string expression;  // The source text if it is a literal, otherwise "".
};

// A call of a name with a capital first letter, which is most likely a construction.
struct PythonCall {
  std::string callee;
  std::vector<PythonArgument> arguments;
};

struct PythonFile {
  std::string source;
  std::vector<PythonStatement> statements;
  std::vector<PythonCall> calls;

  // `source` must be UTF-8. Never fails: a statement that cannot be parsed has has_error set.
  static PythonFile Parse(std::string source);

  Json ToJson() const;
  static Result<PythonFile> FromJson(const Json& json);
};

}  // namespace kernelmill
