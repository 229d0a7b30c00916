"""Analyses the syntax of a candidate's text: what its names mean, what can run on a GPU, and which
functions a call of ModelNew can reach.
"""

import ast
import importlib.util
import sys

import torch

from torch_worker.backends import BY_NAME, DEVICE_QUERIES, LOADERS
from torch_worker.legality.callable_bindings import (FUNCTIONS, bound_values, kept_functions,
                                                     made_inside, top_level)
from torch_worker.legality.legality_names import (ALLOWED_MODULES, EXTENSION_CLASSES,
                                                  LIBRARY_DECORATORS, REGISTRATIONS)
from torch_worker.legality.tensor_names import input_names

_AVAILABLE = tuple(f"{name}.is_available" for name in BY_NAME)
# Methods that torch and Python call by themselves if a class has them.
_INHERITED = frozenset(name for base in (torch.nn.Module, torch.autograd.Function, dict, int)
                       for name in dir(base)) - {"__init__", "__new__", "__post_init__"}
_DEVICES = {"cpu": -1, **dict.fromkeys(BY_NAME, 1)}  # 1 for a device, -1 for the CPU.


def chain_of(node):
    """"torch.nn.functional" for an attribute chain over a name, else ""."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([node.id, *reversed(parts)])


class Imports(ast.NodeVisitor):
    """The meaning of imported names: {"F": "torch.nn.functional"}."""

    def __init__(self, tree):
        self.meaning, self.nodes = {}, []
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for item in node.names:
                    self.nodes.append((node.lineno, item.name))
                    name = item.name if item.asname else item.name.partition(".")[0]
                    self.meaning[item.asname or name] = name
            elif isinstance(node, ast.ImportFrom):
                module = node.module or ""
                for item in node.names:
                    self.nodes.append((node.lineno, f"{module}.{item.name}"))
                    self.meaning[item.asname or item.name] = f"{module}.{item.name}"

        self._follow_aliases(tree)

    def _follow_aliases(self, tree):
        """Adds names that are bound to what they then mean everywhere: `T = torch`."""
        taken = {item.arg for node in ast.walk(tree) if isinstance(node, ast.arguments)
                 for item in (*node.posonlyargs, *node.args, *node.kwonlyargs)}
        names, _ = bound_values(ast.walk(tree))
        for _ in range(len(names)):
            found = {}
            for name, values in names.items():
                meanings = {self.resolve(value) for value in values}
                if len(meanings) == 1 and name not in taken and name not in self.meaning:
                    found[name] = meanings.pop()
            found = {name: meaning for name, meaning in found.items() if meaning}
            if not found:
                break
            self.meaning.update(found)

    def resolve(self, node):
        """The full dotted name of an expression that starts with an imported name, also by
        getattr(torch, "relu"); else ""."""
        if isinstance(node, ast.Name):
            return self.meaning.get(node.id, "")
        if isinstance(node, ast.Attribute):
            owner = self.resolve(node.value)
            return owner and f"{owner}.{node.attr}"
        if (isinstance(node, ast.Call) and chain_of(node.func) == "getattr" and len(node.args) > 1
                and isinstance(node.args[1], ast.Constant)):
            owner = self.resolve(node.args[0])
            return owner and f"{owner}.{node.args[1].value}"
        return ""


def built_modules(tree):
    """The names of the modules that the text builds by setup() and may therefore import. Names of
    installed modules are left out: an import could load those instead."""
    names, functions = set(), {}
    for node in ast.walk(tree):
        if isinstance(node, FUNCTIONS):
            functions.update((id(inner), node) for inner in ast.walk(node))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and chain_of(node.func).rpartition(".")[2] in EXTENSION_CLASSES:
            for value in _given(node, "name", 0):
                names.update(_texts_of(value, tree, functions.get(id(node))))
    return {name for name in names if name.isidentifier() and _is_missing(name)}


def _given(call, name, place):
    """What a call gives to a parameter: a list of at most one expression."""
    return ([item.value for item in call.keywords if item.arg == name]
            or call.args[place:place + 1])


def _texts_of(node, tree, function):
    """The texts that an expression stands for: a constant, a name that the module binds to one, or
    a parameter of the function around it that calls give one."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    if not isinstance(node, ast.Name):
        return []
    given = bound_values(tree.body)[0].get(node.id, [])
    parameters = [item.arg for item in function.args.args] if function else []
    if node.id in parameters and isinstance(function, ast.FunctionDef):
        place = parameters.index(node.id)
        given = [value for call in ast.walk(tree) if isinstance(call, ast.Call)
                 and chain_of(call.func) == function.name
                 for value in _given(call, node.id, place)]
    return [value.value for value in given
            if isinstance(value, ast.Constant) and isinstance(value.value, str)]


def _is_missing(package):
    """Whether no module of this name can be imported."""
    return (package not in sys.stdlib_module_names and package not in ALLOWED_MODULES
            and importlib.util.find_spec(package) is None)


def loader_modules(tree):
    """The modules with load_inline that the text imports from packages of its own, which are not
    here: "kernels.musa_extension"."""
    names = set()
    for _, name in Imports(tree).nodes:
        parts = name.split(".")
        for count in range(1, len(parts) + 1):
            if parts[count - 1].endswith(LOADERS):
                names.add(".".join(parts[:count]))
                break
    return {name for name in names if _is_missing(name.partition(".")[0])}


def _is_device_check(node, trusted):
    """1 when a test holds on a GPU, -1 when it does not, 0 when that is unknown. `trusted`: ids of the
    expressions that are inputs: any other tensor may lie on the host there too."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return -_is_device_check(node.operand, trusted)
    if isinstance(node, ast.BoolOp):
        known = [_is_device_check(item, trusted) for item in node.values]
        if isinstance(node.op, ast.And):
            return -1 if -1 in known else min(known)
        return 1 if 1 in known else max(known) if set(known) == {-1} else 0
    if isinstance(node, ast.Attribute) and node.attr in DEVICE_QUERIES:
        return int(id(node.value) in trusted)
    if isinstance(node, ast.Attribute) and node.attr == "is_cpu":
        return -int(id(node.value) in trusted)
    if isinstance(node, ast.Call) and chain_of(node.func).endswith(_AVAILABLE):
        return 1
    if (isinstance(node, ast.Compare) and len(node.ops) == 1
            and isinstance(node.left, ast.Attribute) and node.left.attr == "type"
            and isinstance(node.left.value, ast.Attribute) and node.left.value.attr == "device"
            and id(node.left.value.value) in trusted
            and isinstance(node.comparators[0], ast.Constant)):
        same = _DEVICES.get(node.comparators[0].value, 0)
        return same if isinstance(node.ops[0], ast.Eq) else (
            -same if isinstance(node.ops[0], ast.NotEq) else 0)
    return 0


def _live_children(item, trusted):
    if not isinstance(item, (ast.If, ast.IfExp)):
        return list(ast.iter_child_nodes(item))
    known = _is_device_check(item.test, trusted)
    body = item.body if isinstance(item.body, list) else [item.body]
    other = item.orelse if isinstance(item.orelse, list) else [item.orelse]
    return [item.test] + (body if known >= 0 else []) + (other if known <= 0 else [])


def _registered(tree, imports):
    """The functions that a text registers with torch.library."""
    named = {node.name: node for node in ast.walk(tree)
             if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and (
                node.func.attr in REGISTRATIONS
                or imports.resolve(node.func) in LIBRARY_DECORATORS):
            found += [item if isinstance(item, ast.Lambda) else named.get(chain_of(item))
                      for item in node.args]
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for item in node.decorator_list:
                maker = item.func if isinstance(item, ast.Call) else item
                if imports.resolve(maker) in LIBRARY_DECORATORS or (
                        isinstance(maker, ast.Attribute) and maker.attr in REGISTRATIONS):
                    found.append(node)
    return [item for item in found if item is not None]


class CandidateText:
    """The definitions of a candidate, and what forward() reaches."""

    def __init__(self, tree):
        self.tree, self.imports = tree, Imports(tree)
        self.functions = {node.name: node for node in ast.walk(tree)
                          if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}
        inputs = input_names(tree, bound_values(ast.walk(tree))[1])
        self._trusted = {id(node) for function in ast.walk(tree) if id(function) in inputs
                         for node in ast.walk(function)
                         if isinstance(node, ast.Name) and node.id in inputs[id(function)]}
        self.top = list(top_level(tree, lambda node: _live_children(node, self._trusted)))
        self.classes, self.defined = {}, {}  # Those of the top level, by name.
        for node in self.top:
            if isinstance(node, ast.ClassDef):
                self.classes.setdefault(node.name, []).append(node)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.defined.setdefault(node.name, []).append(node)
        self.references = []  # Expressions that forward() can use by other names.
        self.registered = _registered(tree, self.imports)
        self.built = built_modules(tree)
        self.loaders = loader_modules(tree)
        self.findings = []
        self.judged = set()  # Ids of nodes that a finding of their parent covers.

    def live(self, node):
        """The nodes below a node that can run on a GPU: left out is what a test of an input's device
        gives to the CPU."""
        stack = [node]
        while stack:
            item = stack.pop()
            yield item
            stack.extend(reversed(_live_children(item, self._trusted)))

    def report(self, reason, node, detail):
        line = node if type(node) is int else getattr(node, "lineno", 0)
        entry = {"reason": reason, "line": line, "detail": detail[:160]}
        if entry not in self.findings:
            self.findings.append(entry)

    def _methods(self, cls):
        return [item for item in cls.body
                if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef))]

    def _made(self):
        """The names of methods that only make an object: every use of such a name calls it, in a
        constructor or in another such method, and no base of torch's or Python's has it."""
        uses, called_in = {}, {}
        calls = {id(node.func) for node in ast.walk(self.tree) if isinstance(node, ast.Call)}
        stack = [("", self.tree)]  # The function around a node, and the node.
        while stack:
            function, node = stack.pop()
            if isinstance(node, FUNCTIONS):
                function = getattr(node, "name", "")
            elif isinstance(node, ast.Attribute):
                uses.setdefault(node.attr, set()).add(id(node))
                if id(node) in calls:
                    called_in.setdefault(function, []).append(node)
            stack.extend((function, child) for child in ast.iter_child_nodes(node))
        made, size = {"__init__", "__post_init__", "__new__"}, 0
        while size != (size := len(made)):
            from_made = {}
            for name in made:
                for node in called_in.get(name, ()):
                    from_made.setdefault(node.attr, set()).add(id(node))
            made |= {name for name, found in from_made.items()
                     if found == uses[name] and name not in _INHERITED}
        return made

    def reached(self):
        """The functions that a call of ModelNew can run, without constructors. Python and torch call
        methods that no text names (operators, iteration, hooks, properties), so all methods count of
        each class that something reached names, but for those that only make an object."""
        made, methods, in_classes = self._made(), {}, []
        names, _ = bound_values(self.top)
        constructed, attributes = {}, {}
        found, followed, factories = [], [], []
        classes = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ClassDef):
                classes.setdefault(node.name, []).append(node)
        stack = list(self.registered) if "ModelNew" in self.classes.keys() | names.keys() else []

        def hand_over(name):
            """A function that is named and not called may be handed over: as a hook, say."""
            if id(name) not in called:
                stack.extend(self.defined.get(name.id, []))

        def reach_class(name):
            for cls in classes.get(name, []):
                if cls in in_classes:
                    continue
                in_classes.append(cls)
                own, kept = bound_values(ast.walk(cls))
                for table, more in ((constructed, own), (attributes, kept)):
                    for key, values in more.items():
                        table.setdefault(key, []).extend(values)
                for method in self._methods(cls):
                    if method.name not in made:
                        stack.append(method)
                        methods.setdefault(method.name, []).append(method)
                for node in ast.walk(cls):
                    if isinstance(node, ast.Name):
                        reach_class(node.id)
                        hand_over(node)
                    elif isinstance(node, FUNCTIONS) and node not in cls.body:
                        stack.append(node)

        def follow(value):
            """Follows an expression that is bound to a name which forward() uses."""
            values = [value]
            while values:
                value = values.pop()
                if value in followed:
                    continue
                followed.append(value)
                lambdas, references, calls = kept_functions(value)
                stack.extend(lambdas)
                for node in references:
                    self.references.append(node)
                    if isinstance(node, ast.Name):
                        stack.extend(self.defined.get(node.id, []))
                        values.extend(names.get(node.id, []) + constructed.get(node.id, []))
                        reach_class(node.id)
                for node in calls:
                    if isinstance(node, ast.Lambda):
                        stack.append(node)
                    reach_class(chain_of(node))
                    for factory in self.defined.get(chain_of(node), []):
                        if factory not in factories:
                            factories.append(factory)
                            inner, returned = made_inside(factory)
                            stack.extend(inner)
                            values.extend(returned)

        called = {id(node.func) for node in ast.walk(self.tree) if isinstance(node, ast.Call)}
        reach_class("ModelNew")
        for value in names.get("ModelNew", []):  # A class by another name.
            follow(value)
        for node in self.top if in_classes else ():
            if isinstance(node, ast.Name):
                hand_over(node)
        while stack:
            function = stack.pop()
            if function in found:
                continue
            found.append(function)
            for node in self.live(function):
                if isinstance(node, ast.Attribute):
                    stack.extend(methods.get(node.attr, []))
                    for value in attributes.get(node.attr, []):
                        follow(value)
                elif isinstance(node, ast.Name):
                    stack.extend(self.defined.get(node.id, []))
                    for value in names.get(node.id, []):
                        follow(value)
                    reach_class(node.id)
        return sorted(found, key=lambda node: (node.lineno, node.col_offset))

    def layers(self):
        """{attribute: layer} of the torch.nn layers that constructors bind to `self`."""
        found = {}
        for cls in sum(self.classes.values(), []):
            for node in ast.walk(cls):
                if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                    meaning = self.imports.resolve(node.value.func)
                    if meaning.startswith("torch.nn."):
                        layer = meaning.rpartition(".")[2]
                        for target in node.targets:
                            if (isinstance(target, ast.Attribute)
                                    and isinstance(target.value, ast.Name)
                                    and target.value.id == "self"):
                                found[target.attr] = layer
        return found
