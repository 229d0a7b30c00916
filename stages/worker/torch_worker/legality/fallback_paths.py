"""Finds paths to a result that a trial may not take: handlers that offer another result, and a forward()
that returns its inputs or fresh memory at some sizes. phases.py finds those that depend on calls.
"""

import ast

from torch_worker.legality.callable_bindings import TRIES
from torch_worker.legality.legality_names import TORCH_ALLOWED
from torch_worker.legality.tensor_names import LAYOUT

_QUESTIONS = frozenset("size dim numel stride type".split())
# Sizes that no task has: a test against them is about empty tensors.
_DEGENERATE = (0, 1)
# Errors of a look-up that finds nothing.
_MISSES = frozenset("KeyError IndexError LookupError AttributeError".split())

# Context managers that end errors, or run functions that are pushed onto them.
_END_ERRORS = ("contextlib.suppress", "contextlib.ExitStack")


def ends_errors(node, function, resolve):
    """What ends an error without an except clause, in words; else "". `function`: that of the node."""
    if isinstance(node, TRIES) and any(
            isinstance(item, (ast.Return, ast.Break, ast.Continue))
            for part in node.finalbody for item in ast.walk(part)):
        return "a finally clause"
    if isinstance(node, ast.Return) and node.value and getattr(function, "name", "") == "__exit__" and not (
            isinstance(node.value, ast.Constant) and not node.value.value):
        return "a context"
    if isinstance(node, (ast.With, ast.AsyncWith)) and any(
            isinstance(item.context_expr, ast.Call) and resolve(
                item.context_expr.func).startswith(_END_ERRORS) for item in node.items):
        return "a with statement"
    return ""


def is_lookup(node):
    """Whether a `try` only looks up what a handler makes and keeps when it is missing."""
    looked_up = all(
        isinstance(part, (ast.Return, ast.Assign, ast.Expr))
        and isinstance(part.value, (ast.Subscript, ast.Attribute))
        and not any(isinstance(item, (ast.Call, ast.NamedExpr)) for item in ast.walk(part))
        for part in node.body)
    return looked_up and not node.orelse and not node.finalbody and all(
        _misses(handler.type) and any(
            isinstance(item, (ast.Assign, ast.AugAssign, ast.AnnAssign))
            and any(isinstance(target, (ast.Subscript, ast.Attribute))
                    for target in (item.targets if isinstance(item, ast.Assign) else [item.target]))
            for item in ast.walk(handler))
        for handler in node.handlers)


def _misses(kind):
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return all(isinstance(item, ast.Name) and item.id in _MISSES for item in kinds)


def _is_idle(value, inputs, resolve):
    """Whether a result is only an input, or memory that torch has allocated or rearranged."""
    for node in ast.walk(value):
        if isinstance(node, ast.Call):
            meaning = resolve(node.func)
            method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            allowed = (meaning.rpartition(".")[2] in TORCH_ALLOWED if meaning.startswith("torch.")
                       else not meaning and (method in LAYOUT or method in _QUESTIONS
                                             or method.startswith("new_")))
            if not allowed:
                return False
        elif isinstance(node, ast.Name) and node.id not in inputs and not resolve(node):
            return False
    return any(isinstance(node, ast.Name) and node.id in inputs for node in ast.walk(value))


def _is_about_inputs(test):
    """Whether a test compares values of the inputs, other than with the sizes of empty tensors."""
    nodes = list(ast.walk(test))
    numbers = [node.value for node in nodes
               if isinstance(node, ast.Constant) and type(node.value) is int]
    return (any(isinstance(node, ast.Compare) for node in nodes)
            and any(isinstance(node, ast.Name) and node.id != "self" for node in nodes)
            and not (numbers and all(number in _DEGENERATE for number in numbers)))


def returns_without_kernel(forward, resolve):
    """The results that forward() returns at some sizes without a kernel, as far as the text
    shows."""
    bound = {node.id for node in ast.walk(forward)
             if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    inputs = {item.arg for item in forward.args.posonlyargs + forward.args.args
              + forward.args.kwonlyargs} - {"self"} - bound
    results, tests = [], []
    for node in ast.walk(forward):
        if isinstance(node, ast.Return) and node.value is not None:
            stack = [node.value]
            while stack:
                value = stack.pop()
                if isinstance(value, ast.IfExp):
                    stack += [value.body, value.orelse]
                    tests.append(value.test)
                else:
                    results.append(value)
        elif isinstance(node, ast.If) and any(
                isinstance(item, ast.Return) for item in ast.walk(node)):
            tests.append(node.test)
    idle = [value for value in results if _is_idle(value, inputs, resolve)]
    if len(idle) == len(results) or not any(_is_about_inputs(test) for test in tests):
        return []
    return idle
