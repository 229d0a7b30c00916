"""What of a candidate's text runs. Legality judges and the candidate's process compiles the same tree,
so that what a rule lets pass by its form has that form when it runs.
"""

import ast
import sys
import types

from torch_worker.legality.legality_names import HELD_MODULES
from torch_worker.sandbox.task_policy import bound_names, nodes_of

# Names that no text can spell: they are no identifiers.
_READ, _LOCKS = "read an own attribute", "locks of a candidate"
_module, _get = types.ModuleType, getattr


def _is_main_block(node):
    test = node.test if isinstance(node, ast.If) else None
    return (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq)
            and {ast.dump(item) for item in (test.left, test.comparators[0])}
            == {ast.dump(ast.Name("__name__", ast.Load())), ast.dump(ast.Constant("__main__"))})


def without_main_block(tree):
    """The tree without `if __name__ == "__main__"`: an answer is imported, so its block never
    runs."""
    body = []
    for node in tree.body:
        body += node.orelse if _is_main_block(node) else [node]
    return ast.Module(body=body, type_ignores=[])


def own_attributes(tree):
    """The names of modules (signal) that a text gives to attributes or parameters of its own. It
    may read attributes of these names, but finds no module there (checked())."""
    imported = {item.asname or item.name for node in ast.walk(tree)
                if isinstance(node, (ast.Import, ast.ImportFrom)) for item in node.names}
    return HELD_MODULES & bound_names(nodes_of(tree)) - imported


def _read(owner, name):
    value = _get(owner, name)
    if isinstance(value, _module):
        raise PermissionError(f".{name} is a module that another module holds")
    return value


class _Checks(ast.NodeTransformer):
    def __init__(self, own):
        self._own = own

    def visit_Attribute(self, node):
        self.generic_visit(node)
        if node.attr not in self._own or not isinstance(node.ctx, ast.Load):
            return node
        read = ast.Call(ast.Name(_READ, ast.Load()), [node.value, ast.Constant(node.attr)], [])
        return ast.copy_location(read, node)

    def visit_Import(self, node):
        for item in node.names:
            if item.name == "threading":
                item.name, item.asname = _LOCKS, item.asname or "threading"
        return node

    def visit_ImportFrom(self, node):
        if node.module == "threading" and not node.level:
            node.module = _LOCKS
        return node


def checked(tree, namespace):
    """The tree with checks of what the rules on texts let pass: attributes named like modules hold
    none, and `threading` has locks only. `namespace`: that of the candidate."""
    namespace[_READ] = _read
    locks = types.ModuleType("threading")
    threading = sys.modules["threading"]
    locks.Lock, locks.RLock = threading.Lock, threading.RLock
    sys.modules[_LOCKS] = locks
    return ast.fix_missing_locations(_Checks(own_attributes(tree)).visit(tree))
