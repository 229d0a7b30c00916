"""Finds tests in what forward() runs that ask for more than a call is given (value_sources.py): an answer
that does so has another way to its result, which no trial takes.

A test decides nothing about a result if its ways only raise, warn or pass: those are not looked at.
"""

import ast

from torch_worker.legality.inert_ways import is_inert
from torch_worker.legality.kept_results import KeptResults
from torch_worker.legality.text_bindings import TextBindings
from torch_worker.legality.value_sources import (ADDRESS, NATIVE, OUTSIDE, UNGIVEN_VALUES,
                                                 ValueSources)

_ANY = (OUTSIDE, NATIVE, UNGIVEN_VALUES, ADDRESS)
# Ways to read a source that lies in a file.
_READ_FILES = ("open()", "pathlib.", "io.", "os.path.", "what .read", "tempfile.", "__file__")


class ConditionSources:
    """`functions`: [(function, its live nodes)] that forward() reaches; `tree`: the candidate's;
    `resolve(node)`: the dotted name of an expression that starts with an import, else ""."""

    def __init__(self, functions, tree, resolve):
        self._functions, self._tree, self._resolve = functions, tree, resolve
        self._bound = TextBindings(tree)
        self._sources = ValueSources(self._bound, resolve)

    def decided(self):
        """(node, what it says) of each test that asks for more than a call is given."""
        for cls in sum(self._bound.classes.values(), []):
            for item in cls.bases:
                if found := self._sources.of_choice(item, self._bound.around[id(cls)]):
                    yield cls, _words(found[1])
        for name in ("ModelNew", "forward"):
            bindings = self._bound.of_entry(name)
            if found := self._sources.of_chosen(bindings):
                yield bindings[0][0], _words(found[1])
        for node, texts in self._sources.native_texts(self._tree):
            found = self._sources.first(texts, self._bound.around.get(id(node)))
            if found and found[0] == OUTSIDE and not found[1].startswith(_READ_FILES):
                yield node, _words(found[1])
        for node, name in KeptResults(self._bound, [item for item, _ in self._functions]).returned():
            yield node, f"it returns {name:.60}, which an earlier call has left"
        for function, nodes in self._functions:
            for node in nodes:
                where = self._bound.around.get(id(node), function)
                if isinstance(node, ast.Call) and not self._resolve(node.func):
                    if found := self._sources.of_choice(node.func, where):
                        yield node, _words(found[1])
                        continue
                for test, kinds in self._tests(node):
                    found = self._sources.of(test, where)
                    if found and found[0] in kinds:
                        yield test, _words(found[1])
                        break

    def _tests(self, node):
        """(expression, the kinds of sources that it must not have) of what chooses between ways. What
        native code returns may set the number of steps, and names of functions may come from it."""
        if isinstance(node, (ast.If, ast.While)):
            return [] if is_inert(node) else [(node.test, _ANY)]
        if isinstance(node, ast.IfExp):
            return [(node.test, _ANY)]
        if isinstance(node, ast.Match):
            return [(node.subject, _ANY), *((case.guard, _ANY) for case in node.cases if case.guard)]
        if isinstance(node, ast.BoolOp):
            return [(value, (OUTSIDE, UNGIVEN_VALUES)) for value in node.values[:-1]]
        if isinstance(node, ast.comprehension):
            return [(node.iter, (OUTSIDE,)),
                    *((value, (OUTSIDE, UNGIVEN_VALUES)) for value in node.ifs)]
        if isinstance(node, (ast.For, ast.AsyncFor)):
            return [] if isinstance(node.iter, (ast.List, ast.Tuple)) else [(node.iter, (OUTSIDE,))]
        if isinstance(node, ast.Subscript) and isinstance(node.value, (ast.List, ast.Tuple, ast.Dict)):
            return [(node.slice, _ANY)]
        if not isinstance(node, ast.Call):
            return []
        native = not self._resolve(node.func) and self._sources.is_native(node.func)
        given = [*node.args, *(item.value for item in node.keywords)]
        return [(value, (OUTSIDE,)) for value in given] if native else []


def _words(what):
    return (f"it depends on {what:.60}; only sizes, dtypes, layouts and the constructor's arguments may "
            "decide")
