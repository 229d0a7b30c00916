"""Finds functions that forward() can call by other names: lambdas, functions and references that a
module's top level, including its branches and handlers, and its constructors bind to names.
"""

import ast

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
TRIES = (ast.Try, getattr(ast, "TryStar", ast.Try))
_SCOPES = (*FUNCTIONS, ast.ClassDef)


def top_level(tree, children_of):
    """The nodes of a module outside functions and classes. `children_of(node)`: its child nodes."""
    stack = list(reversed(tree.body))
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, _SCOPES):
            stack.extend(reversed(children_of(node)))


def _pairs(target, value):
    if isinstance(target, (ast.Tuple, ast.List)):
        values = ([value] * len(target.elts) if not isinstance(value, (ast.Tuple, ast.List))
                  or len(value.elts) != len(target.elts) else value.elts)
        for item, part in zip(target.elts, values):
            yield from _pairs(item, part)
    else:
        yield target, value


def bound_values(nodes):
    """({name: values}, {attribute: values}) that the assignments among `nodes` bind."""
    names, attributes = {}, {}
    for node in nodes:
        if not isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) or node.value is None:
            continue
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            for item, value in _pairs(target, node.value):
                if isinstance(item, ast.Name):
                    names.setdefault(item.id, []).append(value)
                elif isinstance(item, ast.Attribute):
                    attributes.setdefault(item.attr, []).append(value)
                elif isinstance(item, ast.Subscript) and isinstance(item.value, ast.Name):
                    names.setdefault(item.value.id, []).append(value)
    return names, attributes


def kept_functions(value):
    """(lambdas, references, calls) of a bound expression: what its value can contain, and the
    functions that it calls for its value."""
    lambdas, references, calls, stack = [], [], [], [value]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Lambda):
            lambdas.append(node)
        elif isinstance(node, ast.Call):
            calls.append(node.func)
            stack += node.args + [item.value for item in node.keywords]
        elif isinstance(node, (ast.Name, ast.Attribute)):
            references.append(node)
        else:
            stack.extend(ast.iter_child_nodes(node))
    return lambdas, references, calls


def made_inside(function):
    """The functions that a function defines, and the expressions that it returns."""
    inner = [node for node in ast.walk(function)
             if isinstance(node, FUNCTIONS) and node is not function]
    returned = [node.value for node in ast.walk(function)
                if isinstance(node, ast.Return) and node.value is not None]
    return inner, returned
