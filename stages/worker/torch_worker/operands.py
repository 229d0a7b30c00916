"""The operands of a failing statement: the integers that it compares and divides, and its names
whose value is an integer, several integers, or None."""

import ast

import torch

_module, _tensor = torch.nn.Module, torch.Tensor
_shape = torch._C.TensorBase.size
_UNKNOWN = object()
_MAX_DEPTH = 8
_MAX_FACTS = 32
_MAX_ITEMS = 8
MAX_INT = 1 << 62
_OPERATORS = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}


def statement_at(tree, line):
    """The innermost statement on that line; only the head of a statement with a body."""
    best = None
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and node.lineno <= line <= node.end_lineno:
            if best is None or node.lineno >= best.lineno:
                best = node
    if best is None or not hasattr(best, "body"):
        return [best] if best is not None else []
    heads = [getattr(best, name, None) for name in ("test", "iter")]
    heads += [item.context_expr for item in getattr(best, "items", [])]
    return [head for head in heads if head is not None]


def _plain(value):
    """The value if it is None, an int or a short sequence of ints. Runs no code of the task."""
    if value is None or (type(value) is int and abs(value) < MAX_INT):
        return value
    if type(value) in (tuple, list, torch.Size) and len(value) <= _MAX_ITEMS and all(
            type(item) is int and abs(item) < MAX_INT for item in value):
        return tuple(value)
    return _UNKNOWN


def _attribute(owner, name):
    if isinstance(owner, _tensor):
        if name != "shape":
            return _UNKNOWN
        with torch._C.DisableTorchFunctionSubclass():
            return tuple(int(size) for size in _shape(owner))
    if isinstance(owner, _module):
        own = object.__getattribute__(owner, "__dict__")
        for table in (own, own.get("_modules"), own.get("_parameters"), own.get("_buffers")):
            if type(table) is dict and name in table:
                return table[name]
    return _UNKNOWN


def _raw(node, local):
    """The value of a name or of a module's attribute. Runs no code of the task."""
    if isinstance(node, ast.Name):
        return local.get(node.id, _UNKNOWN)
    if isinstance(node, ast.Attribute):
        return _attribute(_raw(node.value, local), node.attr)
    return _UNKNOWN


def _arithmetic(operator, left, right):
    if type(left) is not int or type(right) is not int:
        return _UNKNOWN
    if isinstance(operator, ast.Add):
        return left + right
    if isinstance(operator, ast.Sub):
        return left - right
    if isinstance(operator, ast.Mult):
        return left * right
    if isinstance(operator, (ast.FloorDiv, ast.Mod)) and right != 0:
        return left // right if isinstance(operator, ast.FloorDiv) else left % right
    return _UNKNOWN


def _value(node, local, depth=0):
    if depth > _MAX_DEPTH:
        return _UNKNOWN
    if isinstance(node, ast.Constant):
        return _plain(node.value)
    if isinstance(node, (ast.Name, ast.Attribute)):
        return _plain(_raw(node, local))
    if isinstance(node, ast.BinOp):
        return _plain(_arithmetic(node.op, _value(node.left, local, depth + 1),
                                  _value(node.right, local, depth + 1)))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _plain(_arithmetic(ast.Sub(), 0, _value(node.operand, local, depth + 1)))
    if isinstance(node, ast.Subscript):
        values = _value(node.value, local, depth + 1)
        index = _value(node.slice, local, depth + 1)
    elif isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
        if isinstance(node.func, ast.Name) and node.func.id == "len":
            values = _value(node.args[0], local, depth + 1)
            return len(values) if type(values) is tuple else _UNKNOWN
        if not isinstance(node.func, ast.Attribute) or node.func.attr != "size":
            return _UNKNOWN
        values = _attribute(_raw(node.func.value, local), "shape")
        index = _value(node.args[0], local, depth + 1)
    else:
        return _UNKNOWN
    if type(values) is tuple and type(index) is int and -len(values) <= index < len(values):
        return values[index]
    return _UNKNOWN


def _comparisons(node, local):
    """(operator, left, right) of every comparison and remainder."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        yield "%", _value(node.left, local), _value(node.right, local)
    elif isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        for operator, left, right in zip(node.ops, sides, sides[1:]):
            if type(operator) in _OPERATORS:
                yield _OPERATORS[type(operator)], _value(left, local), _value(right, local)


def describe(statement, local):
    """([{"operator", "left", "right"}], [{"name", "value"}], names of tensors) of a statement."""
    compared, names, tensors = [], {}, []
    for head in statement:
        for node in ast.walk(head):
            for operator, left, right in _comparisons(node, local):
                if type(left) is int and type(right) is int:
                    compared.append({"operator": operator, "left": left, "right": right})
            if not isinstance(node, (ast.Name, ast.Attribute)):
                continue
            name = node.id if isinstance(node, ast.Name) else node.attr
            raw = _raw(node, local)
            if isinstance(raw, _tensor):
                tensors.append(name)
            value = _plain(raw)
            if value is not _UNKNOWN and name != "shape":
                names[name] = [value] if type(value) is int else value
    return (compared[:_MAX_FACTS],
            [{"name": name, "value": None if value is None else list(value)}
             for name, value in sorted(names.items())[:_MAX_FACTS]], tensors)
