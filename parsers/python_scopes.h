// Which names a statement of a module takes from the module's scope, by Python's own rules:
// function scope, class bodies that functions cannot see, comprehensions, global and nonlocal.
#pragma once

#include "parsers/python_file.h"
#include "parsers/syntax_tree.h"

namespace kernelmill {

// Fills in bindings, uses, imports and attributes of `statement` from its node.
void ResolveNames(const SyntaxNode& node, PythonStatement* statement);

// The imports of an import_statement, import_from_statement or future_import_statement.
std::vector<PythonImport> ReadImports(const SyntaxNode& node);

}  // namespace kernelmill
