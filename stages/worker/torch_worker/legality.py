"""Request kind "legality": what a candidate's text does that no kernel answer needs. The text is read,
never run. -> {"end": "legality", "findings": [{"reason", "line", "detail"}]}, in order of lines.

Reasons are those of corpora/verdict.cc. What an operator is called on shows only when it runs
(operator_log.py); this looks for what running cannot show: branches not taken, and ways around.
"""

import ast
import importlib.util
import sys

import torch

from torch_worker.held_functions import (FUNCTIONS, bound_values, kept_functions, made_inside,
                                         top_level)
from torch_worker.legality_names import (ALLOWED_MODULES, COMPILERS, COMPUTE_ATTRIBUTES,
                                         ESCAPE_ATTRIBUTES, ESCAPE_BUILTINS, EXTENSION_CLASSES,
                                         FOREIGN_ALLOWED, FOREIGN_COMPUTE, FORBIDDEN_MODULES,
                                         GRAPHS, HELD_MODULES, LAYER_CALLS_ALLOWED, LIBRARIES,
                                         LIBRARY_DECORATORS, MODE_NAMES,
                                         OS_ALLOWED, REGISTRATIONS, SYS_ALLOWED, TORCH_ALLOWED,
                                         TORCH_NAMESPACES, UNDISPATCHED)
from torch_worker.other_ways import counters, decided_by_calls, returns_without_kernel
from torch_worker.tensor_names import operator_on_tensor, tensor_names

_MAX_FINDINGS = 64


def _chain(node):
    """"torch.nn.functional" for an attribute chain over a name, else ""."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([node.id, *reversed(parts)])


class _Imports(ast.NodeVisitor):
    """What the names that imports bind stand for: {"F": "torch.nn.functional"}."""

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

    def resolve(self, node):
        """The dotted name that an expression means, through imports; "" for anything else."""
        chain = _chain(node)
        first, _, rest = chain.partition(".")
        if first not in self.meaning:
            return ""
        return self.meaning[first] + ("." + rest if rest else "")


def built_modules(tree):
    """The modules that the text says it builds by setup(), as it names them: it may import those.
    Not names that something installed here has: what is imported may not be what is built."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _chain(node.func).rpartition(".")[2] in EXTENSION_CLASSES:
            given = [item.value for item in node.keywords if item.arg == "name"] + node.args[:1]
            if given and isinstance(given[0], ast.Constant) and isinstance(given[0].value, str):
                names.add(given[0].value)
    return {name for name in names if name.isidentifier() and name not in sys.stdlib_module_names
            and name not in ALLOWED_MODULES and importlib.util.find_spec(name) is None}


def _is_device_check(node):
    """1 where a test holds on a GPU, -1 where it does not, 0 where that cannot be told."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return -_is_device_check(node.operand)
    if isinstance(node, ast.BoolOp):
        known = [_is_device_check(item) for item in node.values]
        if isinstance(node.op, ast.And):
            return -1 if -1 in known else min(known)
        return 1 if 1 in known else max(known) if set(known) == {-1} else 0
    if isinstance(node, ast.Attribute) and node.attr in ("is_cuda", "is_musa"):
        return 1
    if isinstance(node, ast.Attribute) and node.attr == "is_cpu":
        return -1
    if isinstance(node, ast.Call) and _chain(node.func).endswith(("cuda.is_available",
                                                                  "musa.is_available")):
        return 1
    if (isinstance(node, ast.Compare) and len(node.ops) == 1
            and isinstance(node.left, ast.Attribute) and node.left.attr == "type"
            and isinstance(node.left.value, ast.Attribute) and node.left.value.attr == "device"
            and isinstance(node.comparators[0], ast.Constant)):
        same = {"cuda": 1, "musa": 1, "cpu": -1}.get(node.comparators[0].value, 0)
        return same if isinstance(node.ops[0], ast.Eq) else (
            -same if isinstance(node.ops[0], ast.NotEq) else 0)
    return 0


def _live(node):
    """The nodes under one that can run on a GPU: the CPU side of device checks is left out."""
    stack = [node]
    while stack:
        item = stack.pop()
        yield item
        stack.extend(reversed(_live_children(item)))


def _live_children(item):
    if not isinstance(item, (ast.If, ast.IfExp)):
        return list(ast.iter_child_nodes(item))
    known = _is_device_check(item.test)
    body = item.body if isinstance(item.body, list) else [item.body]
    other = item.orelse if isinstance(item.orelse, list) else [item.orelse]
    return [item.test] + (body if known >= 0 else []) + (other if known <= 0 else [])


def _registered(tree, imports):
    """The functions that a text gives to torch.library as kernels for a device."""
    named = {node.name: node for node in ast.walk(tree)
             if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and (
                node.func.attr in REGISTRATIONS
                or imports.resolve(node.func) in LIBRARY_DECORATORS):
            found += [item if isinstance(item, ast.Lambda) else named.get(_chain(item))
                      for item in node.args]
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for item in node.decorator_list:
                maker = item.func if isinstance(item, ast.Call) else item
                if imports.resolve(maker) in LIBRARY_DECORATORS or (
                        isinstance(maker, ast.Attribute) and maker.attr in REGISTRATIONS):
                    found.append(node)
    return [item for item in found if item is not None]


class _Text:
    """One candidate: its definitions, and what forward() reaches."""

    def __init__(self, tree):
        self.tree, self.imports = tree, _Imports(tree)
        self.functions = {node.name: node for node in ast.walk(tree)
                          if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}
        self.top = list(top_level(tree, _live_children))
        self.classes, self.defined = {}, {}  # Of the top level, by name.
        for node in self.top:
            if isinstance(node, ast.ClassDef):
                self.classes.setdefault(node.name, []).append(node)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.defined.setdefault(node.name, []).append(node)
        self.references = []  # What forward() has under other names.
        self.registered = _registered(tree, self.imports)
        self.built = built_modules(tree)
        self.findings = []
        self.judged = set()  # Nodes whose parents have said everything.

    def report(self, reason, node, detail):
        line = node if type(node) is int else getattr(node, "lineno", 0)
        entry = {"reason": reason, "line": line, "detail": detail[:160]}
        if entry not in self.findings:
            self.findings.append(entry)

    def _methods(self, cls):
        return [item for item in cls.body
                if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef))]

    def _held_classes(self):
        """ModelNew and the classes whose instances it may hold or make: named anywhere in it."""
        found, stack = [], list(self.classes.get("ModelNew", []))
        while stack:
            cls = stack.pop()
            if cls in found:
                continue
            found.append(cls)
            for name in sorted({item.id for item in ast.walk(cls) if isinstance(item, ast.Name)}):
                stack.extend(self.classes.get(name, []))
        return found

    def reached(self):
        """The functions that a call of ModelNew may run, without constructors."""
        methods, in_classes = {}, []
        for cls in self._held_classes():
            in_classes.append(cls)
            for method in self._methods(cls):
                if method.name != "__init__":
                    methods.setdefault(method.name, []).append(method)
        names, _ = bound_values(self.top)
        constructed, attributes = bound_values(
            node for cls in in_classes for node in ast.walk(cls))
        found, followed, factories = [], [], []
        stack = [item for name in ("forward", "__call__") for item in methods.get(name, [])]
        stack += [item for item in self.registered if in_classes]

        def follow(value):
            """What an expression keeps that forward() has under a name."""
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
                for node in calls:
                    if isinstance(node, ast.Lambda):
                        stack.append(node)
                    for factory in self.defined.get(_chain(node), []):
                        if factory not in factories:
                            factories.append(factory)
                            inner, returned = made_inside(factory)
                            stack.extend(inner)
                            values.extend(returned)

        while stack:
            function = stack.pop()
            if function in found:
                continue
            found.append(function)
            for node in _live(function):
                if isinstance(node, ast.Attribute):
                    stack.extend(methods.get(node.attr, []))
                    for value in attributes.get(node.attr, []):
                        follow(value)
                elif isinstance(node, ast.Name):
                    stack.extend(self.defined.get(node.id, []))
                    for value in names.get(node.id, []):
                        follow(value)
                    for cls in self.classes.get(node.id, []):
                        stack.extend(self._methods(cls))
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


def _check_whole(text):
    """What is refused wherever it stands."""
    for line, name in text.imports.nodes:
        parts = name.split(".")
        prefixes = {".".join(parts[:count]) for count in range(1, len(parts) + 1)}
        if parts[0] not in ALLOWED_MODULES | text.built or prefixes & FORBIDDEN_MODULES:
            text.report("forbidden_import", line, f"imports {name}")
        if prefixes & MODE_NAMES or parts[-1] in MODE_NAMES:
            text.report("observer_disabled", line, f"imports {name}")
        if prefixes & COMPILERS:
            text.report("compiled_by_torch", line, f"imports {name}")
        if len(parts) > 1:
            _check_imported_name(text, line, parts)
    for node in ast.walk(text.tree):
        if isinstance(node, ast.Attribute) and id(node) not in text.judged:
            _check_attribute(text, node)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            if node.id in ESCAPE_BUILTINS and node.id not in text.functions:
                text.report("reaches_interpreter", node, f"uses {node.id}")
        elif isinstance(node, (ast.Assign, ast.AugAssign, ast.Delete)):
            targets = [node.target] if isinstance(node, ast.AugAssign) else node.targets
            for target in targets:
                _check_target(text, target)
        elif isinstance(node, ast.Call):
            _check_call(text, node)
        elif isinstance(node, ast.ClassDef):
            _check_class(text, node)
        elif isinstance(node, ast.MatchClass):
            # A pattern reads the attributes that its keywords name.
            for name in node.kwd_attrs:
                if name in ESCAPE_ATTRIBUTES or name in HELD_MODULES or name == "__dict__":
                    text.report("reaches_interpreter", node, f"matches {name}")


def _check_imported_name(text, line, parts):
    """What `from a import b` binds, as a.b would be judged."""
    name, owner = parts[-1], parts[0]
    if name in ESCAPE_ATTRIBUTES or name in HELD_MODULES or (
            owner == "sys" and name not in SYS_ALLOWED):
        text.report("reaches_interpreter", line, f"imports {'.'.join(parts)}")
    elif owner == "os" and parts[1] not in OS_ALLOWED or (
            name == "*" and owner not in ("math", "typing", "torch")):
        text.report("forbidden_import", line, f"imports {'.'.join(parts)}")


def _check_attribute(text, node):
    meaning = text.imports.resolve(node)
    if node.attr in ESCAPE_ATTRIBUTES or node.attr in HELD_MODULES:
        text.report("reaches_interpreter", node, f"uses .{node.attr}")
    elif node.attr == "__dict__" and _chain(node.value) != "self":
        text.report("reaches_interpreter", node, f"uses .{node.attr}")
    elif meaning.startswith(UNDISPATCHED):
        text.report("torch_compute", node, f"uses {meaning}")
        text.judged.update(map(id, ast.walk(node.value)))
    elif node.attr in MODE_NAMES or meaning in MODE_NAMES or meaning.startswith("torch._C."):
        text.report("observer_disabled", node, f"uses {meaning or node.attr}")
    elif meaning in COMPILERS:
        text.report("compiled_by_torch", node, f"uses {meaning}")
    elif meaning in GRAPHS:
        text.report("graph_replay", node, f"uses {meaning}")
    elif meaning.startswith("os.") and meaning.split(".")[1] not in OS_ALLOWED:
        text.report("forbidden_import", node, f"uses {meaning}")
    elif meaning.startswith("sys.") and meaning.split(".")[1] not in SYS_ALLOWED:
        text.report("reaches_interpreter", node, f"uses {meaning}")


def _check_target(text, target):
    """Assigning to something of torch's changes it for its observer too."""
    for node in ast.walk(target):
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            if _is_class_of(node.value):
                text.report("patches_torch", node, f"assigns to .{node.attr} of a class")
            meaning = text.imports.resolve(node)
            if meaning.startswith(("torch.", "builtins.", "numpy.", "time.")) and (
                    not meaning.startswith(("torch.backends.", "torch._dynamo.config"))):
                text.report("patches_torch", node, f"assigns to {meaning}")


def _is_class_of(node):
    """type(x) or x.__class__: a class that others have too."""
    return (isinstance(node, ast.Call) and _chain(node.func) == "type" and len(node.args) == 1
            or isinstance(node, ast.Attribute) and node.attr == "__class__")


def _check_call(text, node):
    meaning = text.imports.resolve(node.func)
    if isinstance(node.func, ast.Name) and node.func.id in ("setattr", "delattr") and node.args:
        if text.imports.resolve(node.args[0]) or _is_class_of(node.args[0]):
            text.report("patches_torch", node, f"{node.func.id}() on an imported module")
    if isinstance(node.func, ast.Name) and node.func.id == "open" and node.args:
        if isinstance(node.args[0], ast.Constant) and type(node.args[0].value) is int:
            text.report("reaches_interpreter", node, "opens a descriptor by its number")
    if isinstance(node.func, ast.Name) and node.func.id == "getattr" and len(node.args) > 1:
        owner, name = text.imports.resolve(node.args[0]), node.args[1]
        if isinstance(name, ast.Constant):
            if name.value in ESCAPE_ATTRIBUTES or name.value in MODE_NAMES:
                text.report("reaches_interpreter", node, f"getattr() of {name.value}")
        elif owner:
            text.report("reaches_interpreter", node, f"getattr() by a computed name on {owner}")
    if isinstance(node.func, ast.Attribute) and node.func.attr == "load_state_dict":
        if any(item.arg == "strict" and isinstance(item.value, ast.Constant)
               and item.value.value is False for item in node.keywords):
            text.report("loads_parameters", node, "load_state_dict(strict=False)")
    if meaning in LIBRARIES and node.args:
        name = node.args[0]
        if not isinstance(name, ast.Constant) or str(
                name.value).partition("::")[0] in TORCH_NAMESPACES:
            text.report("patches_torch", node, "registers a kernel for an operator of torch's")
    if meaning in ("torch.load", "torch.hub.load", "torch.jit.load"):
        text.report("loads_parameters", node, f"calls {meaning}")


def _check_class(text, node):
    for base in node.bases:
        meaning = text.imports.resolve(base)
        if isinstance(base, ast.Name) and base.id == "Model" and node.name == "ModelNew":
            text.report("inherits_reference", node, "ModelNew inherits from Model")
        if meaning in ("torch.Tensor", "torch.nn.Parameter", "torch.nn.parameter.Parameter"):
            text.report("tensor_subclass", node, f"{node.name} inherits from {meaning}")
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and item.name in ("__torch_function__",
                                                               "__torch_dispatch__"):
            text.report("tensor_subclass", item, f"{node.name} defines {item.name}")


def _check_reached(text, function, names, layers):
    """What is refused only where forward() gets to. `names`: its tensors."""
    tensors = {argument.arg for argument in function.args.args} - {"self", "ctx", "cls"}
    for node in _live(function):
        if isinstance(node, (ast.Try, getattr(ast, "TryStar", ast.Try))) and any(
                not _only_raises(handler) for handler in node.handlers):
            text.report("fallback", node, "an except clause offers another way to the result")
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            text.report("torch_compute", node, "multiplies matrices with @")
        elif sign := operator_on_tensor(node, names):
            text.report("torch_compute", node, f"computes with {sign} on a tensor")
        elif isinstance(node, ast.Call):
            _check_reached_call(text, node, layers, tensors)


def _only_raises(handler):
    """Whether a handler ends in raising, whatever it prints before."""
    return bool(handler.body) and isinstance(handler.body[-1], ast.Raise)


def _is_operator(meaning):
    """Whether a dotted name is one of torch's functions that compute."""
    for prefix, owner in (("torch.nn.functional.", torch.nn.functional), ("torch.", torch)):
        name = meaning.removeprefix(prefix)
        if name != meaning and "." not in name:
            item = getattr(owner, name, None)
            return name not in TORCH_ALLOWED and callable(item) and not isinstance(item, type)
    return meaning.startswith(("torch.ops.aten.", "torch.linalg.", "torch.fft.", "torch.special."))


def _check_references(text, nodes):
    """Operators that are kept under other names, to be called by them."""
    nodes = list(nodes)
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    for node in nodes:
        if isinstance(node, (ast.Name, ast.Attribute)) and id(node) not in called:
            if _is_operator(meaning := text.imports.resolve(node)):
                text.report("torch_compute", node, f"keeps {meaning} under another name")


def _check_reached_call(text, node, layers, tensors):
    meaning = text.imports.resolve(node.func)
    if meaning.startswith("torch.nn.functional."):
        name = meaning.rpartition(".")[2]
        if name not in TORCH_ALLOWED:
            text.report("torch_compute", node, f"calls F.{name}")
    elif meaning.startswith("torch.nn.") and not meaning.startswith(LAYER_CALLS_ALLOWED):
        text.report("layer_called", node, f"makes {meaning} in forward")
    elif meaning.startswith("torch.") and meaning.count(".") == 1:
        name = meaning.partition(".")[2]
        if name not in TORCH_ALLOWED:
            text.report("torch_compute", node, f"calls {meaning}")
    elif meaning.startswith(("torch.ops.aten.", "torch.linalg.", "torch.fft.", "torch.special.",
                             "torch.Tensor.")):
        text.report("torch_compute", node, f"calls {meaning}")
    elif (meaning.partition(".")[0] in FOREIGN_COMPUTE and meaning not in FOREIGN_ALLOWED
          and not meaning.startswith("cupy.cuda.")):
        text.report("foreign_compute", node, f"calls {meaning}")
    func = node.func
    if not isinstance(func, ast.Attribute):
        return
    if func.attr in ("numpy", "__array__", "tolist", "__dlpack__") and not meaning:
        text.report("foreign_compute", node, f"takes values to the host with .{func.attr}()")
    if (isinstance(func.value, ast.Name) and func.value.id in tensors
            and func.attr in COMPUTE_ATTRIBUTES):
        text.report("torch_compute", node, f"calls .{func.attr}() of a tensor")
    if isinstance(func.value, ast.Name) and func.value.id == "self" and func.attr in layers:
        text.report("layer_called", node, f"calls self.{func.attr}, a torch.nn.{layers[func.attr]}")
    if (func.attr == "forward" and isinstance(func.value, ast.Attribute)
            and isinstance(func.value.value, ast.Name) and func.value.value.id == "self"
            and func.value.attr in layers):
        text.report("layer_called", node, f"calls self.{func.value.attr}.forward")


def _check_other_ways(text, reached):
    shared = set(bound_values(text.top)[0])
    counted = counters(reached, shared)
    for function in reached:
        for node, what in decided_by_calls(_live(function), counted, text.imports.resolve):
            text.report("fallback", node, what)
    for cls in text.classes.get("ModelNew", []):
        for method in cls.body:
            if isinstance(method, FUNCTIONS) and method.name == "forward":
                for value in returns_without_kernel(method, text.imports.resolve):
                    text.report("fallback", value, "returns what no kernel has made, at some sizes")


def findings_of(code):
    text = _Text(ast.parse(code))
    _check_whole(text)
    layers = {name: layer for name, layer in text.layers().items()
              if layer not in ("Parameter", "ParameterList", "ParameterDict", "Identity")}
    reached = text.reached()
    for function, names in zip(reached, tensor_names(reached)):
        _check_reached(text, function, names, layers)
    _check_references(text, (node for function in reached for node in _live(function)))
    _check_references(text, text.references)
    _check_other_ways(text, reached)
    return sorted(text.findings, key=lambda item: (item["line"], item["reason"]))[:_MAX_FINDINGS]


def handle(request):
    try:
        return {"end": "legality", "findings": findings_of(request["code"])}
    except (SyntaxError, ValueError) as error:
        return {"end": "unparsed", "line": getattr(error, "lineno", 0) or 0,
                "detail": str(getattr(error, "msg", error))[:200]}
    except (RecursionError, MemoryError):
        return {"end": "unparsed", "line": 0, "detail": "it is nested too deep"}
