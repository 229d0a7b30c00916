"""Request kind "legality": finds code in a candidate's text that an answer with its own kernels
does not need. The text is parsed and never run. -> {"end": "legality", "findings": [{"reason",
"line", "detail"}]}, by line.

Reasons are those of corpora/records/verdict.cc. A run shows the operators that are called
(operator_log.py); this finds what a run cannot show: branches not taken, and evasions.
"""

import ast

import torch

from torch_worker.legality.callable_bindings import FUNCTIONS, TRIES
from torch_worker.legality.candidate_program import own_attributes, without_main_block
from torch_worker.legality.candidate_syntax import CandidateText, chain_of
from torch_worker.legality.condition_sources import ConditionSources
from torch_worker.legality.fallback_paths import ends_errors, is_lookup, returns_without_kernel
from torch_worker.legality.legality_names import (
    ALLOWED_MODULES, COMPILERS, COMPUTE_ATTRIBUTES, ESCAPE_ATTRIBUTES, ESCAPE_BUILTINS,
    FOREIGN_ALLOWED, FOREIGN_COMPUTE, FORBIDDEN_MODULES, GRAPHS, HELD_MODULES, LAYER_CALLS_ALLOWED,
    LIBRARIES, MODE_NAMES, OS_ALLOWED, SYS_ALLOWED, THREADING_ALLOWED, TORCH_ALLOWED,
    TORCH_NAMESPACES, UNDISPATCHED)
from torch_worker.legality.phases import Phases
from torch_worker.legality.tensor_names import (is_tensor, operator_on_tensor,
                                                  possible_tensors, tensor_names)

_MAX_FINDINGS = 64


def _check_whole(text, held):
    """Reports what is refused anywhere in the text. `held`: the names of modules that no attribute
    of the text's own has."""
    for line, name in text.imports.nodes:
        parts = name.split(".")
        prefixes = {".".join(parts[:count]) for count in range(1, len(parts) + 1)}
        known = parts[0] in ALLOWED_MODULES | text.built or prefixes & text.loaders
        if not known or prefixes & FORBIDDEN_MODULES:
            text.report("forbidden_import", line, f"imports {name}")
        if prefixes & MODE_NAMES or parts[-1] in MODE_NAMES:
            text.report("observer_disabled", line, f"imports {name}")
        if prefixes & COMPILERS:
            text.report("compiled_by_torch", line, f"imports {name}")
        if len(parts) > 1:
            _check_imported_name(text, line, parts)
    for node in ast.walk(text.tree):
        if isinstance(node, ast.Attribute) and id(node) not in text.judged:
            _check_attribute(text, node, held)
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
            # A class pattern reads the attributes that its keywords name.
            for name in node.kwd_attrs:
                if name in ESCAPE_ATTRIBUTES or name in HELD_MODULES or name == "__dict__":
                    text.report("reaches_interpreter", node, f"matches {name}")


def _check_imported_name(text, line, parts):
    """Judges the name that `from a import b` binds as a.b is judged."""
    name, owner = parts[-1], parts[0]
    if name in ESCAPE_ATTRIBUTES or name in HELD_MODULES or (
            owner == "sys" and name not in SYS_ALLOWED):
        text.report("reaches_interpreter", line, f"imports {'.'.join(parts)}")
    elif owner == "os" and parts[1] not in OS_ALLOWED or (
            owner == "threading" and name not in THREADING_ALLOWED) or (
            name == "*" and owner not in ("math", "typing", "torch")):
        text.report("forbidden_import", line, f"imports {'.'.join(parts)}")


def _check_attribute(text, node, held):
    meaning = text.imports.resolve(node)
    if node.attr in ESCAPE_ATTRIBUTES or node.attr in held or (
            meaning and node.attr in HELD_MODULES):
        text.report("reaches_interpreter", node, f"uses .{node.attr}")
    elif node.attr == "__dict__" and chain_of(node.value) != "self":
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
    elif meaning.startswith("threading.") and meaning.split(".")[1] not in THREADING_ALLOWED:
        text.report("forbidden_import", node, f"uses {meaning}")
    elif meaning.startswith("sys.") and meaning.split(".")[1] not in SYS_ALLOWED:
        text.report("reaches_interpreter", node, f"uses {meaning}")


def _check_target(text, target):
    """Reports assignments to parts of torch, which would change them for its observer too."""
    for node in ast.walk(target):
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            if _is_class_of(node.value):
                text.report("patches_torch", node, f"assigns to .{node.attr} of a class")
            meaning = text.imports.resolve(node)
            if meaning.startswith(("torch.", "builtins.", "numpy.", "time.")) and (
                    not meaning.startswith(("torch.backends.", "torch._dynamo.config"))):
                text.report("patches_torch", node, f"assigns to {meaning}")


def _is_class_of(node):
    """Whether it is type(x) or x.__class__, a class that other objects share."""
    return (isinstance(node, ast.Call) and chain_of(node.func) == "type" and len(node.args) == 1
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


def _check_reached(text, function, names, tensors, layers):
    """Reports what is refused only in functions that forward() reaches. `names`: its tensors;
    `tensors`: its parameters that may be."""
    for node in text.live(function):
        if isinstance(node, TRIES) and any(
                not _only_raises(handler) for handler in node.handlers) and not is_lookup(node):
            text.report("fallback", node, "an except clause offers another way to the result")
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            text.report("torch_compute", node, "multiplies matrices with @")
        elif sign := operator_on_tensor(node, names):
            text.report("torch_compute", node, f"computes with {sign} on a tensor")
        elif isinstance(node, ast.Attribute):
            if node.attr in COMPUTE_ATTRIBUTES and is_tensor(node.value, tensors):
                text.report("torch_compute", node, f"uses .{node.attr}() of a tensor")
        elif isinstance(node, ast.Call):
            _check_reached_call(text, node, layers, names)


def _only_raises(handler):
    """Whether a handler ends by raising."""
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
    """Reports operators that are bound to other names, by which they could be called."""
    nodes = list(nodes)
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    for node in nodes:
        if isinstance(node, (ast.Name, ast.Attribute)) and id(node) not in called:
            if _is_operator(meaning := text.imports.resolve(node)):
                text.report("torch_compute", node, f"keeps {meaning} under another name")


def _check_reached_call(text, node, layers, names):
    meaning = text.imports.resolve(node.func)
    if meaning.startswith("operator.") and any(is_tensor(item, names) for item in node.args):
        text.report("torch_compute", node, f"calls {meaning} with a tensor")
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
    if isinstance(func.value, ast.Name) and func.value.id == "self" and func.attr in layers:
        text.report("layer_called", node, f"calls self.{func.attr}, a torch.nn.{layers[func.attr]}")
    if (func.attr == "forward" and isinstance(func.value, ast.Attribute)
            and isinstance(func.value.value, ast.Name) and func.value.value.id == "self"
            and func.value.attr in layers):
        text.report("layer_called", node, f"calls self.{func.value.attr}.forward")


def _check_fallback_paths(text, reached):
    functions = [(function, list(text.live(function))) for function in reached]
    resolve = text.imports.resolve
    for node, what in Phases(functions, text.tree, resolve).decided():
        text.report("fallback", node, what)
    if not text.findings:  # Others say better what the answer does.
        for function, nodes in functions:
            for node in nodes:
                if what := ends_errors(node, function, resolve):
                    text.report("fallback", node, f"{what} that ends errors offers another way to the result")
        for node, what in ConditionSources(functions, text.tree, resolve).decided():
            text.report("fallback", node, what)
    if text.findings:
        return  # The findings so far are more informative than "no kernel runs".
    for cls in text.classes.get("ModelNew", []):
        for method in cls.body:
            if isinstance(method, FUNCTIONS) and method.name == "forward":
                for value in returns_without_kernel(method, text.imports.resolve):
                    text.report("fallback", value, "returns what no kernel has made, at some sizes")


def findings_of(code):
    text = CandidateText(without_main_block(ast.parse(code)))
    own = own_attributes(text.tree)
    _check_whole(text, HELD_MODULES - own)
    layers = {name: layer for name, layer in text.layers().items()
              if layer not in ("Parameter", "ParameterList", "ParameterDict", "Identity")}
    reached = text.reached()
    tensors = possible_tensors(reached, text.tree)
    for function, names, possible in zip(reached, tensor_names(reached), tensors):
        _check_reached(text, function, names, possible, layers)
    _check_references(text, (node for function in reached for node in text.live(function)))
    _check_references(text, text.references)
    _check_fallback_paths(text, reached)
    return sorted(text.findings, key=lambda item: (item["line"], item["reason"]))[:_MAX_FINDINGS]


def handle(request):
    try:
        return {"end": "legality", "findings": findings_of(request["code"])}
    except (SyntaxError, ValueError) as error:
        return {"end": "unparsed", "line": getattr(error, "lineno", 0) or 0,
                "detail": str(getattr(error, "msg", error))[:200]}
    except (RecursionError, MemoryError):
        return {"end": "unparsed", "line": 0, "detail": "it is nested too deep"}
