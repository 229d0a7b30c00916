"""What a candidate's text binds: for each name and attribute the values, with the function around a
binding and the tests that decide whether it happens.
"""

import ast

from torch_worker.legality.callable_bindings import FUNCTIONS, TRIES
from torch_worker.legality.inert_ways import is_inert
from torch_worker.legality.tensor_names import calls_of


class TextBindings:
    """`locals`: {id of a function, None for the module: {name: bindings}}; `attributes`: {attribute:
    bindings}, of any object; a binding is (value, tests around it, function around it). `named`:
    functions, `classes`: classes by name; `around`: {id of a node: the function around it}, `guards`:
    {id: the tests around it in that function}."""

    def __init__(self, tree):
        self.around, self.guards = {}, {}
        self.named, self.classes, self.attributes, self.locals = {}, {}, {}, {}
        self._owner, self._calls = {}, {}
        self._elsewhere = {}  # {id of a function: the names that it declares global or nonlocal}
        self._index(tree)

    def calls_of(self, function):
        """The calls that may run a function, and how many of its parameters they do not name; none for
        what only its caller's caller runs."""
        name, owner = getattr(function, "name", ""), self._owner.get(id(function))
        if not name or owner is not None and owner.name == "ModelNew" and (
                name in ("forward", "__init__")):
            return [], 0
        listed = [item.arg for item in function.args.posonlyargs + function.args.args]
        skipped = int(owner is not None and listed[:1] in (["self"], ["cls"], ["ctx"]))
        if owner is not None and name == "__init__":
            return self._calls.get(owner.name, []), skipped
        held = {key: [value for value, _, _ in bound] for key, bound in self.attributes.items()}
        return calls_of(function, owner, self._calls, held), skipped

    def of_name(self, name, where):
        """(bindings, the function that binds it) of a name in a function; None for the module."""
        while where is not None:
            if name in self.locals.get(id(where), {}):
                return self.locals[id(where)][name], where
            where = self.around.get(id(where))
        return self.locals.get(None, {}).get(name, []), None

    def of_entry(self, name):
        """The bindings of a name that the judge uses: of the class, or of its method."""
        return self.locals.get(None, {}).get(name, []) + [
            item for item in self.attributes.get(name, []) if item[2] is None]

    def _index(self, tree):
        stack = [(tree, None, (), None)]
        while stack:
            node, function, guards, owner = stack.pop()
            self.around[id(node)], self.guards[id(node)] = function, guards
            if isinstance(node, ast.ClassDef):
                self.classes.setdefault(node.name, []).append(node)
                self._bind(ast.Name(node.name, ast.Store()), node, function, guards, owner)
                owner = node
            elif isinstance(node, FUNCTIONS):
                self.named.setdefault(getattr(node, "name", ""), []).append(node)
                self._owner[id(node)] = owner
                self._note_parameters(node)
                self._elsewhere[id(node)] = {name for item in ast.walk(node) if isinstance(
                    item, (ast.Global, ast.Nonlocal)) for name in item.names}
                if not isinstance(node, ast.Lambda):
                    self._bind(ast.Name(node.name, ast.Store()), node, function, guards, owner)
                function, guards, owner = node, (), None
            elif isinstance(node, ast.Call):
                called = node.func
                self._calls.setdefault(getattr(called, "attr", getattr(called, "id", "")), []).append(node)
            for target, value in _targets(node):
                self._bind(target, value, function, guards, owner)
            for child, more in _guarded(node):
                stack.append((child, function, guards + more, owner))

    def _note_parameters(self, function):
        given = function.args
        self.locals.setdefault(id(function), {}).update(
            {item.arg: [] for item in (*given.posonlyargs, *given.args, *given.kwonlyargs,
                                       given.vararg, given.kwarg) if item})

    def _bind(self, target, value, function, guards, owner):
        """One binding: the value, the tests that decide whether it happens, and the function."""
        if isinstance(target, (ast.Tuple, ast.List)):
            same = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts)
            for index, item in enumerate(target.elts):
                self._bind(item, value.elts[index] if same else value, function, guards, owner)
        elif isinstance(target, ast.Starred):
            self._bind(target.value, value, function, guards, owner)
        elif isinstance(target, ast.Subscript):
            self._bind(target.value, value, function, guards, owner)
        elif isinstance(target, ast.Attribute):
            self.attributes.setdefault(target.attr, []).append((value, guards, function))
        elif isinstance(target, ast.Name):
            if owner is not None:
                self.attributes.setdefault(target.id, []).append((value, guards, function))
            else:
                self.locals.setdefault(self._scope(target.id, function), {}).setdefault(
                    target.id, []).append((value, guards, function))

    def _scope(self, name, function):
        while function is not None and name in self._elsewhere.get(id(function), ()):
            function = self.around[id(function)]
        return id(function) if function else None


def _targets(node):
    """(target, value) of what a node binds."""
    if isinstance(node, ast.Assign):
        return [(target, node.value) for target in node.targets]
    if isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
        return [(node.target, node.value)]
    if isinstance(node, ast.AugAssign):
        return [(node.target, node.value)]
    if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        return [(node.target, node.iter)]
    if isinstance(node, (ast.With, ast.AsyncWith)):
        return [(item.optional_vars, item.context_expr) for item in node.items if item.optional_vars]
    return []


def _guarded(node):
    """(child, what decides whether it runs) of a node's children. What an error ends depends on the
    statements that may raise it."""
    ways = {}
    if isinstance(node, (ast.If, ast.While)) and not is_inert(node):
        ways = {(node.test,): [*node.body, *node.orelse]}
    elif isinstance(node, ast.Match):
        ways = {(node.subject,): node.cases}
    elif isinstance(node, TRIES):
        ways = {tuple(node.body): [*node.handlers, *node.orelse]}
    elif isinstance(node, (ast.With, ast.AsyncWith)) and "suppress" in ast.dump(node.items[0]):
        ways = {tuple(node.body): node.body}
    chosen = {id(child): tests for tests, children in ways.items() for child in children}
    for child in ast.iter_child_nodes(node):
        yield child, chosen.get(id(child), ())
