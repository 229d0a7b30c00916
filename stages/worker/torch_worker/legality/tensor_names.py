"""Finds the names in a candidate's functions that hold tensors, as far as the text shows: those
whose attributes are a tensor's, or that are passed such a name. An operator like + calls torch when
an operand is a tensor, even in branches that no run takes here.
"""

import ast

from torch_worker.backends import DEVICE_QUERIES

# Attributes that tensors have and other operands lack.
_EVIDENCE = DEVICE_QUERIES | frozenset("""
    shape dtype device dim ndim size stride numel is_contiguous contiguous data_ptr
    element_size requires_grad new_empty new_zeros is_floating_point
""".split())
# Methods of a tensor that return a tensor with the same values.
LAYOUT = frozenset("""
    contiguous to cuda float half double bfloat16 view reshape flatten squeeze unsqueeze transpose
    permute t detach clone expand narrow select
""".split())

_OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//",
              ast.Mod: "%", ast.Pow: "**", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
              ast.USub: "-", ast.Invert: "~", ast.Gt: ">", ast.GtE: ">=", ast.Lt: "<",
              ast.LtE: "<="}


def _parameters(function):
    names = [item.arg for item in function.args.posonlyargs + function.args.args]
    return names[1:] if names[:1] in (["self"], ["cls"], ["ctx"]) else names


def is_tensor(node, names):
    """Whether an expression is one of the tensors `names`, possibly with another layout."""
    while True:
        if isinstance(node, ast.Name):
            return node.id in names
        if isinstance(node, ast.Subscript):
            node = node.value
        elif (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
                and node.func.attr in LAYOUT):
            node = node.func.value
        elif isinstance(node, ast.Attribute) and node.attr in ("T", "mT", "data"):
            node = node.value
        else:
            return False


def operator_on_tensor(node, names):
    """The operator when torch computes it because an operand is one of the tensors `names`; else
    ""."""
    if isinstance(node, ast.BinOp):
        if isinstance(node.left, (ast.Constant, ast.JoinedStr)) and isinstance(node.op, ast.Mod):
            return ""  # The formatting of a message.
        operands, signs = (node.left, node.right), [node.op]
    elif isinstance(node, ast.UnaryOp):
        operands, signs = (node.operand,), [node.op]
    elif isinstance(node, ast.AugAssign):
        operands, signs = (node.target, node.value), [node.op]
    elif isinstance(node, ast.Compare):
        operands, signs = (node.left, *node.comparators), node.ops
    else:
        return ""
    known = [_OPERATORS[type(item)] for item in signs if type(item) in _OPERATORS]
    return known[0] if known and any(is_tensor(item, names) for item in operands) else ""


def _bound(function):
    """{name: assigned values}; None stands for a binding by a loop or a pattern."""
    found = {}
    for node in ast.walk(function):
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            pairs = []
            for target in targets:
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple) and len(
                        target.elts) == len(node.value.elts):
                    pairs += zip(target.elts, node.value.elts)
                else:
                    pairs.append((target, node.value))
            for target, value in pairs:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append(value)
                elif not isinstance(target, (ast.Attribute, ast.Subscript)):
                    for item in ast.walk(target):
                        if isinstance(item, ast.Name):
                            found.setdefault(item.id, []).append(None)
        elif isinstance(node, (ast.For, ast.comprehension)):
            for item in ast.walk(node.target):
                if isinstance(item, ast.Name):
                    found.setdefault(item.id, []).append(None)
    return found


def _tensors_in(function, given):
    """The names of a function that are always tensors. `given`: the parameters for which some
    caller passes a tensor."""
    asked = {node.value.id for node in ast.walk(function)
             if isinstance(node, ast.Attribute) and node.attr in _EVIDENCE
             and isinstance(node.value, ast.Name)}
    names = {name for name in _parameters(function) if name in asked or name in given}
    bound = _bound(function)
    while True:
        more = {name for name, values in bound.items() if name not in names
                and name not in _parameters(function)
                and all(value is not None and is_tensor(value, names) for value in values)}
        fewer = {name for name in names if any(
            value is None or not is_tensor(value, names) for value in bound.get(name, ()))}
        if not more and not fewer:
            return names
        names = (names | more) - fewer
        if fewer:
            bound = {name: [None] if name in fewer else values for name, values in bound.items()}


def tensor_names(functions):
    """The names of each function that are tensors."""
    given = [set() for _ in functions]
    by_name = {}
    for index, function in enumerate(functions):
        by_name.setdefault(getattr(function, "name", None), []).append(index)
    while True:
        found = [_tensors_in(function, known) for function, known in zip(functions, given)]
        changed = False
        for function, names in zip(functions, found):
            for node in ast.walk(function):
                if not isinstance(node, ast.Call):
                    continue
                called = node.func.attr if isinstance(node.func, ast.Attribute) else (
                    node.func.id if isinstance(node.func, ast.Name) else None)
                for index in by_name.get(called, ()):
                    for name, argument in zip(_parameters(functions[index]), node.args):
                        if name not in given[index] and is_tensor(argument, names):
                            given[index].add(name)
                            changed = True
        if not changed:
            return found
