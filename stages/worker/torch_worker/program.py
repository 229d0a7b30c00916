"""A task's code as a program: checked, compiled, and executed in a namespace of its own."""

import ast
import sys
import types

from torch_worker.sandbox import task_policy

FILE = "<task>"


class Program:
    """`tree` is the checked syntax tree, `nodes` its nodes with their parents. Raises
    task_policy.Refused for text that tasks may not have."""

    def __init__(self, code, views, taken):
        if len(code.encode("utf-8", "replace")) > task_policy.MAX_CODE_BYTES:
            raise task_policy.Refused("the code is over one megabyte", 0)
        self.tree = ast.parse(code, FILE)
        self.nodes = task_policy.nodes_of(self.tree)
        self._names = names = task_policy.check(self.nodes, taken)
        self._code = compile(self.tree, FILE, "exec", dont_inherit=True)
        self._builtins = views.builtins(names)

    def refuse(self, attributes):
        """Forbids more attribute names at run time, in getattr() and its relatives."""
        self._names.forbid(attributes)

    def fresh(self):
        """Executes the text in a new namespace and returns the namespace."""
        # dataclasses resolves quoted annotations in sys.modules["task"].
        sys.modules.setdefault("task", types.ModuleType("task"))
        module = types.ModuleType("task")
        namespace = module.__dict__
        namespace.clear()
        namespace["__name__"] = "task"
        namespace["__builtins__"] = dict(self._builtins)
        exec(self._code, namespace)
        return namespace
