"""A task's code as a program: compiled, checked, executed in a namespace of its own."""

import ast
import sys
import types

from torch_worker.sandbox import gate

FILE = "<task>"


class Program:
    """`tree` is the checked syntax tree, `nodes` its nodes with their parents; `fresh()` executes
    the text and gives its names."""

    def __init__(self, code, views, taken):
        if len(code.encode("utf-8", "replace")) > gate.MAX_CODE_BYTES:
            raise gate.Refused("the code is over one megabyte", 0)
        self.tree = ast.parse(code, FILE)
        self.nodes = gate.nodes_of(self.tree)
        self._names = names = gate.check(self.nodes, taken)
        self._code = compile(self.tree, FILE, "exec", dont_inherit=True)
        self._builtins = views.builtins(names)

    def refuse(self, attributes):
        """Forbids more attribute names to getattr() and the like."""
        self._names.forbid(attributes)

    def fresh(self):
        # dataclasses looks there for the names that annotations in quotes may mean.
        sys.modules.setdefault("task", types.ModuleType("task"))
        module = types.ModuleType("task")
        namespace = module.__dict__
        namespace.clear()
        namespace["__name__"] = "task"
        namespace["__builtins__"] = dict(self._builtins)
        exec(self._code, namespace)
        return namespace
