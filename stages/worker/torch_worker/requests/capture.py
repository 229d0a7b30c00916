"""Request kind "capture": records one forward() as the operators that its source calls.

    {"code", "seed", "training", "sizes" (task_sizes.py; left out for its own)} ->
    {"end": "captured", "sites": the sizes that its text has, "arguments": how many forward() takes,
     "values": [{"shape", "dtype", "stride", "memory", "role", "name"} …],
     "calls": [{"function", "arguments": [[name or null, argument, whether it is the default] …],
                "results": [id …]} …],
     "outputs": [id …], "numbers": integers that the model holds, [[Python text, value] …]}

Values are numbered in order of appearance; roles are "input", "parameter", "buffer", "constant" (a
tensor that no recorded operator has made) and "result". Parameters, buffers and constants that are
attributes have the module's names; inputs that are arguments themselves have their numbers. An
argument is a JSON value, or {"value": id}, {"dtype": name}, {"slice": [start, stop, step]},
{"ellipsis": true} or {"other": its Python type}. A call that writes to an operand makes a new value
of it, and has "writes": true; values with the same "memory" may overlap.

Functions are recorded as the user's code calls them (torch.nn.functional.gelu, not its
decomposition). Tensors have no data, so that sizes cost nothing. Small tensors that depend on no
input and no parameter (masks, positions), and what depends only on integer inputs, are computed as
well, for code that reads them; code that reads other values ends as {"end": "not_followed"}.
"""

import gc
import inspect

import torch
from torch.overrides import TorchFunctionMode, get_testing_overrides, resolve_name

from torch_worker import faults, measures, pretrained
from torch_worker.program import Program
from torch_worker.recorder import describe
from torch_worker.requests import admit, reference
from torch_worker.sandbox import task_policy
from torch_worker.sandbox.views import Views
from torch_worker.task_sizes import Sizes

_tensor, _module = torch.Tensor, torch.nn.Module
_MAX_CALLS = 5000
_MAX_ITEMS = 64
_MAX_PARTS = 8
_MAX_NUMBERS = 512
_MAX_COMPUTED = 1 << 20  # Elements.
_storage, _numel = torch._C.TensorBase.untyped_storage, torch._C.TensorBase.numel
_MISSING = object()
_no_modes = torch._C.DisableTorchFunction
_READING = (".item", ".tolist", "__bool__", "__int__", "__float__", "__index__", "__contains__")
_FACTORIES = """arange eye full linspace logspace ones rand randint randn randperm tensor
    tril_indices
    triu_indices zeros""".split()
_state = {}


def _layer(input, hx, params, bias, num_layers, dropout=0.0, train=True, bidirectional=False,
           batch_first=False):
    """The signature of torch.lstm and similar functions. torch's own signature is that for packed
    sequences."""


def _repeat_interleave(input, repeats, dim=None, output_size=None):
    """The signature of the overload with the number of repeats, which torch's own signature
    lacks."""


def _gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """torch's own function reads whether some variance is negative."""
    var = var.unsqueeze(-1) if var.dim() < input.dim() else var
    loss = torch.log(var) + (input - target) ** 2 / var
    return loss if reduction == "none" else loss.sum()


# Functions of torch that read values, with replacements that do not.
_WITHOUT_VALUES = {torch.nn.functional.gaussian_nll_loss: _gaussian_nll_loss}


def _signature(function):
    """[(name, default)] of the parameters; empty when the signature is unknown."""
    for told in (function, _state["stand_ins"].get(function)):
        try:
            parameters = inspect.signature(told).parameters.values()
        except (TypeError, ValueError):
            continue
        if all(item.kind in (item.POSITIONAL_OR_KEYWORD, item.KEYWORD_ONLY) for item in parameters):
            return [(item.name, item.default) for item in parameters]
    return []


def _tensors_in(value):
    """The tensors in nested tuples, lists and dicts, in order; the objects themselves."""
    found, stack = [], [value]
    while stack and len(found) < _MAX_ITEMS:
        item = stack.pop()
        if isinstance(item, _tensor):
            found.append(item)
        elif isinstance(item, (tuple, list)):
            stack.extend(reversed(item))
        elif isinstance(item, dict):
            stack.extend(reversed(list(item.values())))
    return found


class _AnyDevice(TorchFunctionMode):
    """Makes every device the meta device, including those that the code names."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if kwargs.get("device") is not None:
            kwargs["device"] = "meta"
        if func is _tensor.cuda:
            return args[0]
        if func is _tensor.to:
            args = tuple("meta" if isinstance(item, (str, torch.device)) else item for item in args)
        return func(*args, **kwargs)


def _writes(name, arguments):
    """Whether a function that returns an operand has written to it."""
    last = name.rpartition(".")[2]
    inplace = any(argument[0] in ("inplace", "out") and argument[1] for argument in arguments)
    return inplace or last == "__setitem__" or last.startswith("__i") or (
        last.endswith("_") and not last.endswith("__"))


def _is_default(item, default):
    return type(item) in (bool, int, float, str, type(None)) and item == default


class _TooLong(Exception):
    """forward() calls too many operators."""


def _each(value, change):
    """`value` with `change` applied to every tensor in it."""
    if isinstance(value, _tensor):
        return change(value)
    if isinstance(value, (tuple, list)):
        items = [_each(item, change) for item in value]
        return tuple(items) if isinstance(value, tuple) else items
    return value


class _Computed:
    """The computed tensors that correspond to tensors without data."""

    def __init__(self):
        self._beside = {}  # {id of the tensor without data: the computed one}.

    def __contains__(self, tensor):
        return id(tensor) in self._beside

    def run(self, func, args, kwargs):
        """The result of `func` on the computed tensors; None when an argument has none."""
        tensors = _tensors_in([args, kwargs])
        if not all(tensor in self for tensor in tensors) or (
                not tensors and not _state["factories"].get(func)):
            return None
        kwargs = {name: "cpu" if name == "device" else _each(value, self._of)
                  for name, value in kwargs.items()}
        if not tensors:
            kwargs["device"] = "cpu"
        with _no_modes():
            return func(*_each(args, self._of), **kwargs)

    def _of(self, tensor):
        return self._beside[id(tensor)]

    def integers_in(self, inputs):
        """The computed tensors of the integer inputs only."""
        kept = _Computed()
        kept._beside = {id(item): self._of(item) for item in inputs
                        if item in self and not item.is_floating_point()}
        return kept

    def keep(self, out, computed):
        for tensor, beside in zip(_tensors_in(out), _tensors_in(computed)):
            if tensor is not beside:
                self._beside[id(tensor)] = beside


class _Calls(TorchFunctionMode):
    """Records values and calls."""

    def __init__(self, computed=None):
        super().__init__()
        self.values, self.calls = [], []
        self._ids, self._kept = {}, []  # Kept alive, so that no id() is reused.
        self._memory = {}  # {address of a storage: its number}.
        self._computed = computed or _Computed()
        self._signatures = {}

    def add(self, tensor, role, name=""):
        number = len(self.values)
        memory = self._memory.setdefault(_storage(tensor)._cdata, len(self._memory))
        self.values.append({**describe(tensor), "memory": memory, "role": role, "name": name})
        self._ids[id(tensor)] = number
        self._kept.append(tensor)
        return number

    def add_once(self, tensor, role, name):
        if id(tensor) not in self._ids:
            self.add(tensor, role, name)

    def id_of(self, tensor):
        number = self._ids.get(id(tensor))
        return self.add(tensor, "constant") if number is None else number

    def _argument(self, item):
        if isinstance(item, _tensor):
            return {"value": self.id_of(item)}
        if item is None or isinstance(item, (bool, int, float, str)):
            plain = item if item == item and item not in (float("inf"), -float("inf")) else None
            return plain if plain is not None or item is None else {"number": str(item)}
        if isinstance(item, (tuple, list)):
            return [self._argument(entry) for entry in item[:_MAX_ITEMS]]
        if isinstance(item, torch.dtype):
            return {"dtype": str(item).removeprefix("torch.")}
        if isinstance(item, slice):
            return {"slice": [self._argument(part) for part in (item.start, item.stop, item.step)]}
        if item is Ellipsis:
            return {"ellipsis": True}
        return {"other": type(item).__name__}

    def _arguments(self, func, args, kwargs):
        if func not in self._signatures:
            self._signatures[func] = _signature(func)
        signature = self._signatures[func]
        defaults = dict(signature)
        named = [(signature[index][0] if index < len(signature) else None, item)
                 for index, item in enumerate(args)]
        return [[name, self._argument(item), _is_default(item, defaults.get(name, _MISSING))]
                for name, item in [*named, *kwargs.items()]]

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        arguments = self._arguments(func, args, kwargs)
        name = resolve_name(func) or getattr(func, "__qualname__", type(func).__name__)
        if name.endswith(_READING) and args and args[0] in self._computed:
            return self._computed.run(func, args, kwargs)
        out = _WITHOUT_VALUES.get(func, func)(*args, **kwargs)
        items = out if isinstance(out, (tuple, list)) else [out]
        tensors = [item for item in items[:_MAX_ITEMS] if isinstance(item, _tensor)]
        if tensors and all(_numel(tensor) <= _MAX_COMPUTED for tensor in tensors):
            computed = self._computed.run(func, args, kwargs)
            if computed is not None:
                self._computed.keep(out, computed)
        if func is _tensor.__setitem__:
            tensors = [args[0]]
        if tensors:
            self._record(name, arguments, tensors)
        return out

    def _record(self, name, arguments, tensors):
        if len(self.calls) >= _MAX_CALLS:
            raise _TooLong
        if all(id(tensor) in self._ids for tensor in tensors) and not _writes(name, arguments):
            return  # The call returned its operand, as contiguous() of a contiguous tensor.
        call = {"function": name, "arguments": arguments}
        if any(id(tensor) in self._ids for tensor in tensors):
            call["writes"] = True
        call["results"] = [self.add(tensor, "result") for tensor in tensors]
        self.calls.append(call)


def _plain_attributes(model):
    """(name, tensor) of tensors that are plain attributes of modules, not parameters or buffers."""
    for prefix, module in _module.named_modules(model):
        for name, value in vars(module).items():
            if isinstance(value, _tensor):
                yield f"{prefix}.{name}".removeprefix("."), value


def _path(prefix):
    """The Python expression of a module: "self.blocks[0]"; "" when there is none."""
    text = "self"
    for part in filter(None, prefix.split(".")):
        if not part.isidentifier() and not part.isdecimal():
            return ""
        text += f"[{part}]" if part.isdecimal() else f".{part}"
    return text


def _numbers(model):
    """[[Python expression, value]] of the integer attributes of modules: a patch size, for
    example."""
    found = []
    for prefix, module in _module.named_modules(model):
        path = _path(prefix)
        for name, value in vars(module).items() if path else ():
            if name.startswith("_") or not name.isidentifier():
                continue
            items = [("", value)]
            if type(value) in (tuple, list):
                items = [(f"[{index}]", item) for index, item in enumerate(value[:_MAX_PARTS])]
            elif type(value) is dict:
                items = [(f"['{key}']", item) for key, item in list(value.items())[:_MAX_PARTS]
                         if type(key) is str and key.isidentifier()]
            found += [[f"{path}.{name}{part}", item] for part, item in items
                      if type(item) is int and 1 < item < 1 << 31]
            if len(found) >= _MAX_NUMBERS:
                return found[:_MAX_NUMBERS]
    return found


def _follow(request):
    sizes = Sizes(request["code"])
    program = Program(sizes.apply(request.get("sizes", {})), _state["views"], admit.taken())
    with torch.device("meta"), torch.no_grad(), admit.ReadableSteps(), _AnyDevice():
        namespace, _, model = reference.construct(program, request["training"])
    drawn = _Computed()
    with torch.device("meta"), _AnyDevice(), _Calls(drawn):
        inputs = admit.draw(namespace, request["seed"])
    calls = _Calls(drawn.integers_in(_tensors_in(inputs)))
    numbers = {id(item): str(index) for index, item in enumerate(inputs)}
    for item in _tensors_in(inputs):
        calls.add(item, "input", numbers.get(id(item), ""))
    for name, tensor in measures.parameters_of(model):
        calls.add(tensor, "parameter", name)
    for name, tensor in _module.named_buffers(model):
        calls.add(tensor, "buffer", name)
    for name, tensor in _plain_attributes(model):
        calls.add_once(tensor, "constant", name)
    admit.reseed(request["seed"])
    with torch.device("meta"), torch.no_grad(), _AnyDevice(), calls:
        result = _module.__call__(model, *inputs)
    outputs = [calls.id_of(item) for item in _tensors_in(result)]
    reply = {"end": "captured", "sites": sizes.describe(), "arguments": len(inputs), "outputs": outputs,
             "values": calls.values, "calls": calls.calls, "numbers": _numbers(model)}
    broken = admit.seal_broken()
    return {"end": "tampered", "detail": broken} if broken else reply


def handle(request):
    try:
        return _follow(request)
    except task_policy.Refused as error:
        return {"end": "not_followed", "detail": str(error)[:200]}
    except _TooLong:
        return {"end": "not_followed", "detail": f"more than {_MAX_CALLS} operators"}
    except Exception as error:  # Torch cannot run it without data.
        reply = getattr(error, "reply", {})
        detail = reply.get("message") or f"{type(error).__name__}: {faults.clean(str(error))}"
        return {"end": "not_followed", "detail": detail[:200]}


def warm():
    _state["stand_ins"] = {**get_testing_overrides(),
                           **dict.fromkeys((torch.lstm, torch.gru, torch.rnn_tanh, torch.rnn_relu),
                                           _layer),
                           torch.repeat_interleave: _repeat_interleave,
                           _tensor.repeat_interleave: _repeat_interleave}
    _state["views"] = Views()
    _state["factories"] = {getattr(torch, name): name for name in _FACTORIES}


def prepare(request):
    """Imports transformers for the first text that names it: the import takes as long as that of all
    the rest, and few texts need it. Runs in the process that forks, because a fork cannot open the
    files."""
    if "transformers" in request["code"] and "models" not in _state:
        _state["models"] = pretrained.stand_in()
        if _state["models"] is not None:
            _state["views"].add("transformers", _state["models"])
        gc.freeze()
