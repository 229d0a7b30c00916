"""An exception of a task as facts: which phase, line and torch layer, and a message without
addresses and paths."""

import re

import torch

from torch_worker import gate
from torch_worker.program import FILE
from torch_worker.recorder import describe

_MAX_MESSAGE = 500
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_PATH = re.compile(r"(?:/[\w.+-]+){2,}")
_module, _tensor = torch.nn.Module, torch.Tensor


def clean(text):
    text = _PATH.sub("<path>", _ADDRESS.sub("0x", text))
    return "".join(c if c.isprintable() else " " for c in text[:4 * _MAX_MESSAGE])[:_MAX_MESSAGE]


def _layer(owner):
    """The layer in which an error was raised, with the sizes (or einops pattern) it was built for."""
    sizes = {}
    for name, value in sorted(object.__getattribute__(owner, "__dict__").items()):
        if name.startswith("_") or isinstance(value, bool):
            continue
        if isinstance(value, int):
            sizes[name] = [value]
        elif isinstance(value, tuple) and all(type(item) is int for item in value):
            sizes[name] = list(value)
    pattern = object.__getattribute__(owner, "__dict__").get("pattern")
    return {"type": type(owner).__name__, "sizes": sizes,
            "pattern": clean(pattern) if type(pattern) is str else ""}


def describe_fault(error, phase):
    try:
        message = str(error)
    except Exception:
        message = ""
    fault = {"end": "fault", "phase": phase, "type": type(error).__name__,
             "message": clean(message), "line": 0, "function": "", "layer": None, "locals": []}
    if isinstance(error, (SyntaxError, gate.Refused)):
        fault["line"] = (error.lineno if isinstance(error, SyntaxError) else error.line) or 0
    frames = []
    trace = error.__traceback__
    while trace is not None and len(frames) < 2000:
        frames.append((trace.tb_frame, trace.tb_lineno))
        trace = trace.tb_next
    for index, (frame, line) in enumerate(frames):
        if frame.f_code.co_filename != FILE:
            continue
        fault["line"] = line
        fault["locals"] = _tensors_of(frame)
        fault["function"], fault["layer"] = "", None
        for inner, _ in frames[index + 1:]:
            if inner.f_code.co_filename == FILE:
                break
            fault["function"] = inner.f_code.co_name
            owner = inner.f_locals.get("self")
            if isinstance(owner, _module):
                fault["layer"] = _layer(owner)
    return fault


def _tensors_of(frame):
    found = []
    for name, value in sorted(frame.f_locals.items()):
        if isinstance(value, _tensor) and len(found) < 32:
            facts = describe(value)
            found.append({"name": name, "shape": facts["shape"], "dtype": facts["dtype"]})
    return found
