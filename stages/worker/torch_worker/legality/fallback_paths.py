"""Finds paths to a result that a trial may not take: a forward() that decides by the number of its
calls or by a clock, or that returns its inputs or fresh memory at some sizes.
"""

import ast

from torch_worker.legality.legality_names import TORCH_ALLOWED
from torch_worker.legality.tensor_names import LAYOUT

_CLOCKS = ("time.", "random.", "datetime.", "uuid.", "torch.rand")
_QUESTIONS = frozenset("size dim numel stride type".split())
# Sizes that no task has: a test against them is about empty tensors.
_DEGENERATE = (0, 1)
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq, ast.In, ast.NotIn)


def _key(node):
    """"self.calls", "calls" or "state[]" for what an assignment may count in; else ""."""
    parts = []
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        parts.append(node.attr if isinstance(node, ast.Attribute) else "[]")
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _kept_names(function):
    """Names of a function that outlive its call."""
    return {name for node in ast.walk(function) if isinstance(node, (ast.Global, ast.Nonlocal))
            for name in node.names}


def counters(functions, shared):
    """The variables that functions update from their own value and keep between calls, such as
    self.calls += 1. `shared` holds the names of the module."""
    found = set()
    for function in functions:
        kept = _kept_names(function)
        for node in ast.walk(function):
            if isinstance(node, ast.AugAssign):
                targets, value = [node.target], node.target
            elif isinstance(node, ast.Assign):
                targets, value = node.targets, node.value
            else:
                continue
            used = {_key(item) for item in ast.walk(value)}
            for target in targets:
                key = _key(target)
                owner = key.partition(".")[0]
                lasting = owner == "self" and "." in key or owner in kept or (
                    key != owner and owner in shared)
                if key and lasting and key in used and (
                        isinstance(node, ast.AugAssign) or isinstance(value, ast.BinOp)):
                    found.add(key)
    return found


def _read_of(expression, keys):
    """The one of `keys` that a test depends on, or ""; asking whether it is None does not."""
    stack = [expression]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Compare) and all(
                isinstance(item, (ast.Is, ast.IsNot)) for item in node.ops):
            continue
        if _key(node) in keys:
            return _key(node)
        stack.extend(ast.iter_child_nodes(node))
    return ""


def decided_by_calls(nodes, keys, resolve):
    """(test, finding) for each test among `nodes` that depends on the number of calls or a clock.
    `resolve` gives the full name of an expression."""
    for node in nodes:
        if isinstance(node, (ast.If, ast.IfExp, ast.While)):
            tests = [node.test]
        elif isinstance(node, ast.Compare) and any(isinstance(item, _ORDERS) for item in node.ops):
            tests = [node]
        elif isinstance(node, ast.Subscript) and isinstance(node.value, (ast.List, ast.Tuple,
                                                                         ast.Dict)):
            tests = [node.slice]
        elif isinstance(node, ast.Match):
            tests = [node.subject]
        else:
            continue
        for test in tests:
            if key := _read_of(test, keys):
                yield test, (f"the test reads {key}, which changes from call to call: how often it "
                             "was called decides what forward() does")
            elif any(isinstance(item, ast.Call) and resolve(item.func).startswith(_CLOCKS)
                     for item in ast.walk(test)):
                yield test, "a clock or a random number decides what forward() does"


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
