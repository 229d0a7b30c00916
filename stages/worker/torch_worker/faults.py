"""Describes an exception of a task: its phase, line and torch layer, the operands of the line, and
its message without addresses and paths."""

import re

import torch

from torch_worker import operands
from torch_worker.program import FILE
from torch_worker.recorder import describe
from torch_worker.sandbox import task_policy

_MAX_MESSAGE = 500
_MAX_SEARCHED = 1 << 16  # At most this many characters of a message are cleaned.
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_PATH = re.compile(r"(?:/[\w.+-]+){2,}")
_module, _tensor = torch.nn.Module, torch.Tensor


def clean(text):
    text = _PATH.sub("<path>", _ADDRESS.sub("0x", text[:_MAX_SEARCHED]))
    return "".join(c if c.isprintable() else " " for c in text[:4 * _MAX_MESSAGE])[:_MAX_MESSAGE]


def _layer(owner, arguments):
    """The layer that raised an error: the sizes that it was built for, and what it received."""
    sizes = {}
    for name, value in sorted(object.__getattribute__(owner, "__dict__").items()):
        items = value if type(value) is tuple else (value,)
        if not name.startswith("_") and name.isidentifier() and len(sizes) < 32 and all(
                type(item) is int and abs(item) < operands.MAX_INT for item in items[:9]):
            sizes[name] = list(items[:8])
    received = next((value for value in arguments if isinstance(value, _tensor)), None)
    pattern = object.__getattribute__(owner, "__dict__").get("pattern")
    return {"type": type(owner).__name__, "sizes": sizes,
            "pattern": clean(pattern) if type(pattern) is str else "",
            "received": describe(received)["shape"] if received is not None else None}


def describe_fault(error, phase, tree):
    """`tree` is the task's syntax tree; None when the text has not been parsed."""
    try:
        message = str(error)
    except Exception:
        message = ""
    fault = {"end": "fault", "phase": phase, "type": type(error).__name__,
             "message": clean(message), "line": 0, "function": "", "layer": None, "locals": [],
             "compared": [], "names": [], "steps": 0}
    if isinstance(error, (SyntaxError, task_policy.Refused)):
        fault["line"] = (error.lineno if isinstance(error, SyntaxError) else error.line) or 0
    frames, innermost = [], None
    trace = error.__traceback__
    while trace is not None and len(frames) < 2000:
        frames.append((trace.tb_frame, trace.tb_lineno))
        trace = trace.tb_next
    for index, (frame, line) in enumerate(frames):
        if frame.f_code.co_filename != FILE:
            continue
        fault["line"] = line
        innermost = frame
        fault["function"], fault["layer"], outer = "", None, None
        for inner, _ in frames[index + 1:]:
            if inner.f_code.co_filename == FILE:
                break
            fault["function"] = inner.f_code.co_name
            local, names = inner.f_locals, inner.f_code.co_varnames
            owner = local.get("self")
            if not isinstance(owner, _module):
                continue
            if owner is not outer or fault["layer"]["received"] is None:
                arguments = [local.get(name) for name in names[1:inner.f_code.co_argcount]]
                fault["layer"] = _layer(owner, arguments)
                # Inner functions of the layer have the same `self` but other arguments.
                outer = owner
    if innermost is not None:
        local, mentioned = innermost.f_locals, []
        if tree is not None:
            statement = operands.statement_at(tree, fault["line"])
            fault["compared"], fault["names"], mentioned = operands.describe(statement, local)
        fault["locals"] = _tensors_of(local, mentioned)
    return fault


def _tensors_of(local, mentioned):
    """The tensors among the variables; those that the failing statement mentions come first."""
    found = []
    for name, value in sorted(local.items(), key=lambda item: (item[0] not in mentioned, item[0])):
        if isinstance(value, _tensor) and len(found) < 32:
            facts = describe(value)
            found.append({"name": name, "shape": facts["shape"], "dtype": facts["dtype"]})
    return found


def text_of(error):
    try:
        return clean(str(error))
    except BaseException:  # noqa: B036: its class is the candidate's
        return ""


def line_of(error, file):
    """The innermost line of a file that an error passed through."""
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and error.filename == file:
        line = error.lineno or 0
    return line


def is_triton(error):
    """Whether a ModuleNotFoundError is about Triton."""
    name = error.name
    return type(name) is str and name.partition(".")[0] == "triton"
