"""Finds results that forward() returns from an earlier call: what an attribute or a name of the module holds
that forward() itself has set, where this call has not set it before.

An answer that keeps its result and returns it again when it takes a call for an old one needs no kernel for
the calls that are timed. Buffers that are kept and returned are such results too: a later call overwrites
them. Followed are local names and the answer's own functions; what a container or a closure hands out is not.
"""

import ast

from torch_worker.legality.callable_bindings import FUNCTIONS

_DEPTH = 4


class KeptResults:
    """`bound`: the TextBindings of a text; `reached`: the functions that forward() reaches."""

    def __init__(self, bound, reached):
        self._bound, self._reached = bound, {id(function) for function in reached}
        self._found = []

    def returned(self):
        """(node, name) of each kept value that a forward() of ModelNew returns."""
        for cls in self._bound.classes.get("ModelNew", []):
            for method in cls.body:
                if isinstance(method, FUNCTIONS) and method.name == "forward":
                    self._scan(method.body, method, set(), 0)
        return self._found

    def _scan(self, block, function, assigned, depth):
        for statement in block:
            if isinstance(statement, ast.Return) and statement.value is not None:
                self._look(statement.value, function, assigned, depth)
            elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                assigned.update(ast.unparse(item) for target in targets for item in ast.walk(target)
                                if isinstance(item, (ast.Attribute, ast.Subscript)))
            elif isinstance(statement, (ast.With, ast.AsyncWith)):
                self._scan(statement.body, function, assigned, depth)
            else:
                for name in ("body", "orelse", "finalbody"):
                    inner = getattr(statement, name, None)
                    if isinstance(inner, list) and not isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
                        self._scan(inner, function, set(assigned), depth)

    def _look(self, value, function, assigned, depth):
        if isinstance(value, ast.IfExp):
            self._look(value.body, function, assigned, depth)
            self._look(value.orelse, function, assigned, depth)
        elif isinstance(value, (ast.Tuple, ast.List)):
            for item in value.elts:
                self._look(item, function, assigned, depth)
        elif isinstance(value, ast.BoolOp):
            for item in value.values:
                self._look(item, function, assigned, depth)
        elif isinstance(value, ast.Name):
            bound, where = self._bound.of_name(value.id, function)
            if where is not None and depth < _DEPTH:
                for item, _, _ in bound:
                    if not isinstance(item, ast.Name) or item.id != value.id:
                        self._look(item, function, assigned, depth + 1)
            elif where is None and any(self._is_set(binding) for binding in bound):
                self._found.append((value, value.id))
        elif isinstance(value, (ast.Attribute, ast.Subscript)):
            owner = value
            while isinstance(owner, ast.Subscript):
                owner = owner.value
            if isinstance(owner, ast.Attribute) and ast.unparse(value) not in assigned and any(
                    self._is_set(binding) for binding in self._bound.attributes.get(owner.attr, [])):
                self._found.append((value, ast.unparse(value)))
        elif isinstance(value, ast.Call) and depth < _DEPTH:
            name = getattr(value.func, "attr", getattr(value.func, "id", ""))
            for called in self._bound.named.get(name, []):
                if not isinstance(called, ast.Lambda) and id(called) in self._reached:
                    self._scan(called.body, called, set(), depth + 1)

    def _is_set(self, binding):
        """Whether a function that forward() reaches binds it, to more than a constant."""
        value, _, function = binding
        return function is not None and id(function) in self._reached and not isinstance(
            value, ast.Constant)
