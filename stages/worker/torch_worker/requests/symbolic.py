"""Request kind "symbolic": runs forward() with unknown input sizes, as symbols of torch.

It runs in a fork of its own, because a task could reach this program through the objects behind a
symbol. A task that could do so is not followed and gets no symbolic shapes; C++ checks the others
by substitution against what another fork measured. Tensors have no data. The model is built on the
meta device and then wrapped, because building under FakeTensorMode takes ten times as long.
"""

import ast
import logging
import types

import sympy
import torch
from torch._guards import Source
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx.experimental import symbolic_shapes
from torch.fx.experimental.sym_node import SymNode

from torch_worker import measures, recorder
from torch_worker.program import Program
from torch_worker.requests import admit
from torch_worker.sandbox import integrity, task_policy
from torch_worker.size_text import NoText, write

_tensor, _module = torch.Tensor, torch.nn.Module
_size, _stride = torch._C.TensorBase.size, torch._C.TensorBase.stride
_dtype = torch._C.TensorBase.dtype.__get__
_MAX_CONSTRAINTS = 16
_MAX_CONSTRAINT_TEXT = 60
_state = {}


class NotFollowed(Exception):
    """The task has no symbolic shapes; the message says why."""


class _InputSize(Source):
    """The origin of a symbol, for which torch requires a name."""

    def __init__(self, name):
        object.__setattr__(self, "_text", name)

    @property
    def name(self):
        return self._text

    @property
    def _name_template(self):
        return self._text

    def guard_source(self):
        raise NotImplementedError


def _escape_attributes():
    """The attributes that only the classes behind symbols have."""
    fake = {name for cls in (FakeTensor, torch.SymInt, torch.SymFloat, torch.SymBool, SymNode)
            for name in dir(cls)}
    plain = {name for cls in (_tensor, int, float, bool) for name in dir(cls)}
    return frozenset(fake - plain) | {"node", "shape_env", "expr", "hint", "fake_mode", "cond",
                                      "subs", "SymInt", "SymFloat", "SymBool"}


def _refuse_handlers(nodes):
    """Refuses text that could reach objects behind symbols: an exception can hold one, for
    example."""
    for node, _ in nodes:
        if isinstance(node, ast.ExceptHandler) and node.name:
            raise NotFollowed("it keeps an exception")
        if isinstance(node, ast.FunctionDef) and node.name == "__exit__":
            raise NotFollowed("it defines a context manager")
        if isinstance(node, ast.Attribute) and node.attr in _state["escape_attributes"]:
            raise NotFollowed(f"it uses the attribute {node.attr}")
        if (isinstance(node, ast.MatchClass)
                and _state["escape_attributes"].intersection(node.kwd_attrs)):
            raise NotFollowed("it matches an attribute of a symbol")


class _Shapes:
    """Wraps tensors so that their sizes are symbols, and reads sizes as expressions."""

    def __init__(self):
        self.env = symbolic_shapes.ShapeEnv()
        self.mode = FakeTensorMode(shape_env=self.env, allow_non_fake_inputs=False)

    def wrap(self, tensor, name, dynamic):
        kind = (symbolic_shapes.DimDynamic.DYNAMIC if dynamic
                else symbolic_shapes.DimDynamic.STATIC)
        context = symbolic_shapes.StatelessSymbolicContext(dynamic_sizes=[kind] * tensor.dim())
        return self.mode.from_tensor(tensor, symbolic_context=context, source=_InputSize(name))

    def wrap_module(self, model):
        stack, seen = [model], set()
        while stack:
            module = stack.pop()
            if module is None or id(module) in seen:
                continue
            seen.add(id(module))
            own = object.__getattribute__(module, "__dict__")
            for name, value in list(own["_parameters"].items()):
                if value is not None:
                    own["_parameters"][name] = torch.nn.Parameter(
                        self.wrap(value.detach(), "parameter", False), requires_grad=False)
            for table in (own["_buffers"], own):
                for name, value in list(table.items()):
                    if isinstance(value, _tensor):
                        table[name] = self.wrap(value, "buffer", False)
            stack.extend(own["_modules"].values())

    def _expression(self, size):
        """(value at the given sizes, expression) of an int or of a symbol that this made."""
        if type(size) is int:
            return size, size
        node = size.node if type(size) is torch.SymInt else None
        if type(node) is not SymNode or node.shape_env is not self.env:
            raise NotFollowed("a size is no symbol of ours")
        if node.hint is None or type(node.hint) is not int:
            raise NotFollowed("a size depends on data")
        return node.hint, node._expr

    def look(self, tensor):
        """As recorder.describe(), with the sizes as expressions in "symbolic"."""
        with torch._C.DisableTorchFunctionSubclass():
            sizes = [self._expression(size) for size in _size(tensor)]
            strides = []
            if tensor.layout is torch.strided:
                strides = [self._expression(step)[0] for step in _stride(tensor)]
            return {"shape": [value for value, _ in sizes],
                    "dtype": str(_dtype(tensor)).removeprefix("torch."), "stride": strides,
                    "symbolic": [expression for _, expression in sizes]}


class _Names:
    """Writes expressions as text; symbols are named s0, s1 … in the order of the inputs."""

    def __init__(self, env, input_sizes):
        self._env, self._names, self._texts, self.symbols = env, {}, {}, []
        for sizes in input_sizes:
            for size in sizes:
                self._name(self._simple(size))

    def _simple(self, size):
        return size if type(size) is int else self._env.simplify(size)

    def _name(self, expression):
        if not isinstance(expression, sympy.Expr):
            return
        for symbol in sorted(expression.free_symbols, key=lambda s: s.name):
            if symbol not in self._names:
                self._names[symbol] = f"s{len(self._names)}"
                value = self._env.backed_var_to_val[symbol]
                self.symbols.append({"name": self._names[symbol], "value": int(value)})

    def _text(self, size):
        if size not in self._texts:
            self._texts[size] = write(self._simple(size), self._names)
        return self._texts[size]

    def texts(self, sizes):
        return [self._text(size) for size in sizes]

    def constraints(self):
        """The divisibility conditions of sizes."""
        found = []
        for guard in self._env.guards:
            expression = guard.expr
            if not isinstance(expression, sympy.Eq) or expression.rhs != 0:
                continue
            remainder = expression.lhs
            if type(remainder).__name__ not in ("Mod", "PythonMod"):
                continue
            size, divisor = (self._env.simplify(item) for item in remainder.args)
            if not divisor.is_Integer or not size.free_symbols:
                continue
            try:
                text = f"{write(size, self._names, 2)} % {int(divisor)}"
            except NoText:
                continue
            if text not in found and len(text) <= _MAX_CONSTRAINT_TEXT:
                found.append(text)
        return found[:_MAX_CONSTRAINTS]


def _follow(request):
    seed = request["seed"]
    program = Program(request["code"], admit.views(), admit.taken())
    _refuse_handlers(program.nodes)
    program.refuse(_state["escape_attributes"])
    with torch.device("meta"):
        namespace, model = admit.build(program, seed)
        inputs = admit.draw(namespace, seed)
    shapes = _Shapes()
    shapes.wrap_module(model)
    given = [shapes.wrap(item, f"input{index}", True) if isinstance(item, _tensor) else item
             for index, item in enumerate(inputs)]
    input_sizes = [shapes.look(item)["symbolic"] for item in given if isinstance(item, _tensor)]
    tracer = recorder.Tracer(program, shapes.look)
    operators = recorder.OperatorMode(shapes.look)
    admit.reseed(seed)
    with shapes.mode, torch.device("meta"), torch.no_grad(), operators, tracer:
        result = _module.__call__(model, *given)
    outputs = [shapes.look(output)["symbolic"] for output in measures.outputs_of(result)]

    names = _Names(shapes.env, input_sizes)
    reply = {
        "end": "ran",
        "symbols": names.symbols,
        "inputs": [names.texts(sizes) for sizes in input_sizes],
        "constraints": names.constraints(),
        "values": [{"line": value["line"], "name": value["name"],
                    "shape": names.texts(value["symbolic"])} for value in tracer.values],
        "operators": [{"line": call["line"], "name": call["name"],
                       "outputs": [names.texts(output["symbolic"]) for output in call["outputs"]]}
                      for call in operators.operators],
        "outputs": [names.texts(sizes) for sizes in outputs],
    }
    broken = admit.seal_broken() or _state["seal"].broken()
    return {"end": "tampered", "detail": broken} if broken else reply


def handle(request):
    try:
        return _follow(request)
    except (NotFollowed, NoText, task_policy.Refused) as error:
        return {"end": "not_followed", "detail": str(error)[:200]}
    except Exception as error:  # Torch cannot run it with unknown sizes.
        return {"end": "not_followed", "detail": type(error).__name__}


def warm():
    """Follows a small model, so that forks import nothing. Call after admit.warm()."""
    logging.disable(logging.CRITICAL)  # Torch logs its failures, but the reply reports them.
    _state["escape_attributes"] = _escape_attributes()
    classes = (FakeTensor, FakeTensorMode, torch.SymInt, torch.SymFloat, torch.SymBool, SymNode,
               symbolic_shapes.ShapeEnv, recorder.Tracer, recorder.OperatorMode, _Shapes, _Names,
               sympy.Symbol, sympy.Integer, sympy.Add, sympy.Mul)
    _state["seal"] = integrity.Seal(
        [types.SimpleNamespace(**{f"c{i}": cls for i, cls in enumerate(classes)})])
    _follow({"seed": 1, "code": _WARM})


_WARM = """
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.norm = nn.LayerNorm(8)
        self.linear = nn.Linear(8, 24)

    def forward(self, x):
        b, c, h, w = x.shape
        assert h % 2 == 0
        x = self.norm(self.conv(x).flatten(2).transpose(1, 2))
        q, k, v = self.linear(x).view(b, h * w, 3, 2, 4).permute(2, 0, 3, 1, 4)
        x = (q @ k.transpose(-2, -1)).softmax(-1) @ v
        return torch.cat([x, x], dim=1).mean(dim=-1)


def get_inputs():
    return [torch.randn(2, 3, 8, 10)]


def get_init_inputs():
    return []
"""
