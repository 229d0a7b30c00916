"""Finds the numbers in a task's text that determine its sizes, and changes them.

A *site* is an integer literal or an expression of literals that is bound to a module-level name
(`height = 32 * 4`) or used in get_inputs() or get_init_inputs(). Equal literals in those functions
are one site: `torch.rand(16, 512)` and `return [512]` change together.
"""

import ast

_MIN_VALUE = 2
_MIN_BARE_LITERAL = 9  # Smaller ones are kernel sizes, strides, numbers of dimensions.
_MAX_SITES = 64
_FUNCTIONS = ("get_inputs", "get_init_inputs")
_OPERATORS = {ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b,
              ast.Mult: lambda a, b: a * b, ast.FloorDiv: lambda a, b: a // b if b else None}


def _integer(node):
    """The value of an expression of integer literals, or None."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, ast.BinOp) and isinstance(node.left, (ast.Constant, ast.BinOp)):
        left, right = _integer(node.left), _integer(node.right)
        if left is None or right is None or abs(left) > 1 << 40 or abs(right) > 1 << 40:
            return None
        if isinstance(node.op, ast.Pow):
            return left ** right if 0 <= right < 40 and abs(left) < 1 << 10 else None
        operator = _OPERATORS.get(type(node.op))
        return operator(left, right) if operator else None
    return None


def _bound_values(statement):
    """(names, value node) pairs of a module-level assignment."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    value, names = statement.value, []
    for target in targets:
        if isinstance(target, ast.Name):
            names.append(target.id)
        elif (isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List))
              and len(target.elts) == len(value.elts)):
            for item, part in zip(target.elts, value.elts):
                if isinstance(item, ast.Name):
                    yield [item.id], part
    if names and value is not None:
        parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else [value]
        for part in parts:
            yield names, part


def _loaded_names(node):
    return {item.id for item in ast.walk(node)
            if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Load)}


def _reached(tree, start):
    """The module-level names on which a set of names depends, including the set."""
    needs = {}
    for statement in tree.body:
        if isinstance(statement, (ast.Assign, ast.AnnAssign)):
            for names, value in _bound_values(statement):
                for name in names:
                    needs.setdefault(name, set()).update(_loaded_names(value))
    reached, stack = set(), list(start)
    while stack:
        name = stack.pop()
        if name not in reached:
            reached.add(name)
            stack.extend(needs.get(name, ()))
    return reached


class Sizes:
    """The sites of one text."""

    def __init__(self, code):
        self._code = code
        self.sites = []
        tree = ast.parse(code)
        functions = {item.name: item for item in tree.body if isinstance(item, ast.FunctionDef)}
        reached = {name: _reached(tree, _loaded_names(functions[name])) if name in functions
                   else set() for name in _FUNCTIONS}
        inside = set()
        for item in tree.body:
            if isinstance(item, ast.ClassDef):
                inside |= _loaded_names(item)
        inside = _reached(tree, inside)
        for statement in tree.body:
            if isinstance(statement, (ast.Assign, ast.AnnAssign)):
                for names, node in _bound_values(statement):
                    value = _integer(node)
                    if value is not None and value >= _MIN_VALUE:
                        self._add(value, [node], names,
                                  any(name in reached["get_inputs"] for name in names),
                                  any(name in reached["get_init_inputs"] or name in inside
                                      for name in names))
        self._add_literals(functions)

    def _add(self, value, nodes, names, in_inputs, in_model):
        if len(self.sites) < _MAX_SITES:
            self.sites.append({"value": value, "nodes": nodes, "names": names,
                               "inputs": in_inputs, "model": in_model})

    def _add_literals(self, functions):
        groups, bounds = {}, set()
        for name in _FUNCTIONS:
            if name not in functions:
                continue
            for node in ast.walk(functions[name]):
                if (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
                        and node.func.attr == "randint"):
                    bounds |= {_integer(item) for item in node.args[:2]}
                    bounds |= {_integer(item.value) for item in node.keywords
                               if item.arg in ("low", "high")}
                elif isinstance(node, ast.Constant) and type(node.value) is int:
                    groups.setdefault(node.value, {}).setdefault(name, []).append(node)
        for value, places in groups.items():
            # The bound of an index is not a site: the text does not say what it indexes.
            if value >= _MIN_BARE_LITERAL and value not in bounds:
                self._add(value, sum(places.values(), []), [], "get_inputs" in places,
                          "get_init_inputs" in places)

    def describe(self):
        return [{"id": index, "value": site["value"], "names": site["names"],
                 "inputs": site["inputs"], "model": site["model"]}
                for index, site in enumerate(self.sites)]

    def apply(self, sizes):
        """The text with new values: {site id as text: value}."""
        edits = []
        for index, value in sizes.items():
            for node in self.sites[int(index)]["nodes"]:
                edits.append((node.lineno, node.col_offset, node.end_lineno, node.end_col_offset,
                              int(value)))
        lines = [line.encode() for line in self._code.split("\n")]
        for first, start, last, end, value in sorted(set(edits), reverse=True):
            head, tail = lines[first - 1][:start], lines[last - 1][end:]
            lines[first - 1:last] = [head + str(value).encode() + tail] + [b""] * (last - first)
        return b"\n".join(lines).decode()


def same_names(code, renamed):
    """A candidate's text with the task's new values, `renamed` = {name: [old, new]}, for
    module-level names that had the task's old value."""
    try:
        own = Sizes(code)
    except (SyntaxError, ValueError, RecursionError):
        return code
    sizes = {}
    for index, site in enumerate(own.sites):
        new = [renamed[name][1] for name in site["names"]
               if name in renamed and renamed[name][0] == site["value"]]
        if new:
            sizes[str(index)] = new[0]
    return own.apply(sizes)
