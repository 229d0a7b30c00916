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

# Annotations of what has numel() too, and is none.
_SIZES = ("torch.Size", "Size", "int", "float")

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
    if any(isinstance(item, (ast.Tuple, ast.List)) for item in operands):
        return ""  # Sizes: torch computes nothing with a tuple.
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
    sizes = {item.arg for item in function.args.args if item.annotation is not None
             and ast.unparse(item.annotation).strip("'\"").endswith(_SIZES)}
    names = {name for name in _parameters(function)
             if name not in sizes and name in asked or name in given}
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


def _called(node):
    return getattr(node.func, "attr", getattr(node.func, "id", "")) if isinstance(
        node, ast.Call) else ""


def _may_be(node, names):
    """Whether an argument may be a tensor: one of `names`, or what a call makes of one."""
    if isinstance(node, ast.Call):
        owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        return is_tensor(node, names) or any(
            _may_be(item, names) for item in (*owner, *node.args,
                                              *(item.value for item in node.keywords)))
    if isinstance(node, (ast.Tuple, ast.List)):
        return any(_may_be(item, names) for item in node.elts)
    if isinstance(node, ast.Starred):
        return _may_be(node.value, names)
    if isinstance(node, ast.IfExp):
        return _may_be(node.body, names) or _may_be(node.orelse, names)
    return is_tensor(node, names)


def possible_tensors(functions, tree):
    """The parameters of each function that may be tensors. Those of a function that the text does not
    call by its name, as forward(), are; others if some call passes one. An extension that is passed
    to a function is none."""
    calls = {}
    for node in ast.walk(tree):
        calls.setdefault(_called(node), []).append(node)
    methods = {id(item) for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
               for item in node.body}
    entries = [getattr(item, "name", "") in ("", "forward", "__call__")
               or not calls.get(item.name) for item in functions]
    found = [set(_parameters(item)) if entry else set() for item, entry in zip(functions, entries)]
    while True:
        before = sum(map(len, found))
        for caller, names in zip(functions, found):
            known = names | {item for item, values in _bound(caller).items() if any(
                value is None or _may_be(value, names) for value in values)}
            for node in ast.walk(caller):
                if not (called := _called(node)):
                    continue
                for index, function in enumerate(functions):
                    if entries[index] or called != function.name:
                        continue
                    parameters = _parameters(function)
                    plain = id(function) in methods and len(function.args.args) == len(parameters)
                    given = list(zip(parameters, node.args))
                    if any(isinstance(item, ast.Starred) for item in node.args) or plain and (
                            len(node.args) > len(parameters)):
                        given = [(name, item) for name in parameters for item in node.args]
                    given += [(item.arg, item.value) for item in node.keywords
                              if item.arg in parameters]
                    found[index].update(name for name, item in given if _may_be(item, known))
        if sum(map(len, found)) == before:
            return found


def calls_of(function, owner, calls, attributes):
    """The calls that run a function of a text: by its name, or by the class whose forward() it is."""
    if owner is None or function.name not in ("forward", "__call__"):
        return calls.get(function.name, [])
    held = {name for name, values in attributes.items() if any(
        _called(item) == owner.name for value in values for item in ast.walk(value))}
    return ([call for call in calls.get("apply", []) if isinstance(call.func, ast.Attribute)
             and getattr(call.func.value, "id", "") == owner.name]
            + [call for name in held for call in calls.get(name, [])])


def _from_inputs(node, names):
    """Whether an argument is an input, or what a call makes of inputs, and nothing of the host's."""
    return _may_be(node, names) and not any(
        isinstance(item, ast.Attribute) and item.attr in ("cpu", "pin_memory")
        or isinstance(item, ast.Constant) and item.value == "cpu" for item in ast.walk(node))


def input_names(tree, attributes):
    """{id of a function: its parameters that always hold inputs of ModelNew or what was made of
    them}: on a device they are there. `attributes`: what the text binds to attributes."""
    owners = {id(item): node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
              for item in node.body}
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    calls, around = {}, {}
    for node in ast.walk(tree):
        calls.setdefault(_called(node), []).append(node)
    for function in functions:
        around.update((id(node), function) for node in ast.walk(function))
    found, sites = {}, {}
    for function in functions:
        owner, bound = owners.get(id(function)), _bound(function)
        kept = set(_parameters(function)) - {
            name.id for node in ast.walk(function) if isinstance(node, ast.withitem)
            and node.optional_vars for name in ast.walk(node.optional_vars)
            if isinstance(name, ast.Name)}
        found[id(function)] = {name for name in kept if all(
            value is not None and _from_inputs(value, kept) for value in bound.get(name, ()))}
        if owner is None or owner.name != "ModelNew" or function.name != "forward":
            sites[id(function)] = calls_of(function, owner, calls, attributes)
    while True:
        before = sum(map(len, found.values()))
        for function in functions:
            if id(function) not in sites:
                continue
            for index, name in enumerate(_parameters(function)):
                given = [call.args[index] if index < len(call.args) else None
                         for call in sites[id(function)]]
                if not given or any(
                        value is None or id(call) not in around or not _from_inputs(
                            value, found[id(around[id(call)])])
                        for call, value in zip(sites[id(function)], given)):
                    found[id(function)].discard(name)
        if sum(map(len, found.values())) == before:
            return found


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
