"""What of a candidate's text runs. Legality judges and the candidate's process compiles the same tree,
so that what a rule lets pass by its form has that form when it runs.
"""

import ast

from torch_worker.legality.legality_names import HELD_MODULES
from torch_worker.sandbox.task_policy import bound_names, nodes_of

# Names that no text can spell: they are no identifiers.
_READ, _CHANGED = "read an attribute", "change an attribute"


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


class _Checks(ast.NodeTransformer):
    def __init__(self, own):
        self._own, self._class = own, ""

    def visit_ClassDef(self, node):
        outer, self._class = self._class, node.name.lstrip("_")
        self.generic_visit(node)
        self._class = outer
        return node

    def visit_Attribute(self, node):
        self.generic_visit(node)
        name = node.attr
        if self._class and name.startswith("__") and not name.endswith("__"):
            name = f"_{self._class}{name}"  # As Python names it within a class.
        if not isinstance(node.ctx, ast.Load):
            node.value = self._call(_CHANGED, node.value, name)
            return node
        if not name.startswith("_") and name not in self._own:
            return node
        return self._call(_READ, node.value, name)

    @staticmethod
    def _call(function, owner, name):
        call = ast.Call(ast.Name(function, ast.Load()), [owner, ast.Constant(name)], [])
        return ast.copy_location(call, owner)


def checked(tree, namespace, boundary):
    """The tree with checks of what the rules on texts let pass: every private attribute that it
    reads, and every object whose attributes it changes. `namespace`: that of the candidate."""
    namespace["__builtins__"] = boundary.builtins()
    namespace[_READ], namespace[_CHANGED] = boundary.read, boundary.changed
    return ast.fix_missing_locations(_Checks(own_attributes(tree)).visit(tree))
