// Resolves the names in a top-level statement of a Python file by Python's scoping rules
// (functions, class bodies that functions cannot see, comprehensions, global and nonlocal), to find
// those that it takes from the module's scope. Called by PythonFile::Parse().
#pragma once

#include "parsers/python_file.h"
#include "parsers/syntax_tree.h"

namespace kernelmill {

// Sets bindings, uses, imports and attributes of `statement` from its node.
void ResolveNames(const SyntaxNode& node, PythonStatement* statement);

// The imports of an import_statement, import_from_statement or future_import_statement.
std::vector<PythonImport> ReadImports(const SyntaxNode& node);

}  // namespace kernelmill
