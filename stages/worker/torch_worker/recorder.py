"""Records what torch computes for a task, line by line.

A trace of the task's frames gives the values that lines bind; a function mode gives the operators
as the source spells them; a dispatch mode (cost.py) gives the operators that torch dispatches for
them.
"""

import ast
import sys

import torch
from torch.overrides import TorchFunctionMode, resolve_name

from torch_worker.cost import is_count
from torch_worker.program import FILE

MAX_VALUES = 400
MAX_OPERATORS = 1000
_MAX_ITEMS = 8  # The most items of a tuple or list of tensors that are recorded.

_tensor, _getframe, _settrace, _resolve = torch.Tensor, sys._getframe, sys.settrace, resolve_name
_shape = torch._C.TensorBase.size
_stride, _dtype = torch._C.TensorBase.stride, torch._C.TensorBase.dtype.__get__
_layout, _strided = torch._C.TensorBase.layout.__get__, torch.strided
_functions_off = torch._C.DisableTorchFunctionSubclass


def describe(tensor):
    """Shape, dtype and stride of a tensor, read in a way that no task can override."""
    with _functions_off():
        shape = [int(size) for size in _shape(tensor)]
        stride = []
        if _layout(tensor) is _strided:
            stride = [int(step) for step in _stride(tensor)]
        return {"shape": shape, "dtype": str(_dtype(tensor)).removeprefix("torch."),
                "stride": stride}


def _targets(node):
    """The names that an assignment target binds, in order."""
    found, stack = [], [node]
    while stack:
        item = stack.pop()
        if isinstance(item, ast.Name):
            found.append(item.id)
        elif isinstance(item, (ast.Tuple, ast.List)):
            stack.extend(reversed(item.elts))
        elif isinstance(item, ast.Starred):
            stack.append(item.value)
    return found


def bindings_by_line(nodes):
    """{line: (first line of the statement, names that it binds)} for all lines of each
    statement."""
    table = {}
    for node, _ in nodes:
        targets = []
        last = getattr(node, "end_lineno", 0)
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign)):
            targets = [node.target]
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            targets, last = [node.target], node.iter.end_lineno
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            targets = [item.optional_vars for item in node.items if item.optional_vars]
            last = node.items[-1].context_expr.end_lineno
        elif isinstance(node, ast.NamedExpr):
            targets = [node.target]
        names = [name for target in targets for name in _targets(target)]
        if not names:
            continue
        for line in range(node.lineno, last + 1):
            first, others = table.get(line, (node.lineno, []))
            table[line] = (min(first, node.lineno),
                           others + [name for name in names if name not in others])
    return table


def _definition_lines(nodes):
    """{line of the first decorator: line of the `def`} of every decorated function."""
    return {node.decorator_list[0].lineno: node.lineno for node, _ in nodes
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.decorator_list}


class Tracer:
    """Collects the tensor values that the task's lines bind while it is active."""

    def __init__(self, program, look=describe):
        self._look = look
        self._bindings = bindings_by_line(program.nodes)
        self._definitions = _definition_lines(program.nodes)
        self._pending = {}  # Frame -> the line it is executing.
        self._seen = set()
        self.values = []
        self.truncated = False

    def _add(self, line, name, tensor):
        facts = self._look(tensor)
        key = (line, name, tuple(facts["shape"]), facts["dtype"], tuple(facts["stride"]))
        if key in self._seen:
            return
        if len(self.values) >= MAX_VALUES:
            self.truncated = True
            return
        self._seen.add(key)
        self.values.append({"line": line, "name": name, **facts})

    def _record(self, line, name, value):
        if isinstance(value, _tensor):
            self._add(line, name, value)
        elif type(value) in (tuple, list):
            for index, item in enumerate(value[:_MAX_ITEMS]):
                if isinstance(item, _tensor):
                    self._add(line, f"{name}[{index}]", item)

    def _settle(self, frame):
        """Records the values that the line bound that `frame` has just left."""
        line = self._pending.pop(frame, None)
        if line in self._bindings:
            first, names = self._bindings[line]
            local = frame.f_locals
            for name in names:
                if name in local:
                    self._record(first, name, local[name])

    def _local(self, frame, event, argument):
        if event == "line":
            self._settle(frame)
            self._pending[frame] = frame.f_lineno
        elif event == "return":
            line = frame.f_lineno
            self._settle(frame)
            if argument is not None and not frame.f_code.co_name.startswith("<"):
                self._record(line, "return", argument)
        elif event == "exception":
            self._pending.pop(frame, None)
        return self._local

    def _global(self, frame, event, _argument):
        code = frame.f_code
        if code.co_filename != FILE:
            return None
        if not code.co_name.startswith("<"):
            local = frame.f_locals
            line = self._definitions.get(code.co_firstlineno, code.co_firstlineno)
            for name in code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]:
                if name in local:
                    self._record(line, name, local[name])
        return self._local

    def __enter__(self):
        _settrace(self._global)
        return self

    def __exit__(self, *_):
        _settrace(None)
        self._pending.clear()


def _spelling(func):
    """'torch.nn.functional.linear' -> 'linear', Tensor.T's getter -> 'T', __matmul__ -> 'matmul'.

    "" for a function that is not torch's own.
    """
    parts = (_resolve(func) or "").split(".")
    if parts[-1] in ("__get__", "__set__") and len(parts) > 1:
        parts.pop()
    last = parts[-1]
    return last[2:-2] if last.startswith("__") and last.endswith("__") else last


def _task_line():
    frame = _getframe(2)
    while frame is not None and frame.f_code.co_filename != FILE:
        frame = frame.f_back
    return frame.f_lineno if frame is not None else 0


class OperatorMode(TorchFunctionMode):
    """Collects the operators that the task calls, by the names that sources use."""

    def __init__(self, look=describe):
        super().__init__()
        self._look = look
        self.operators = []
        self.truncated = False

    def __torch_function__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        items = out if type(out) in (tuple, list) else [out]
        outputs = [self._look(item) for item in items[:_MAX_ITEMS] if isinstance(item, _tensor)]
        line = _task_line() if outputs else 0
        name = _spelling(func) if line else ""
        if name and not (name == "add_" and is_count(args)):
            if len(self.operators) < MAX_OPERATORS:
                self.operators.append({"line": line, "name": name, "outputs": outputs})
            else:
                self.truncated = True
        return out
