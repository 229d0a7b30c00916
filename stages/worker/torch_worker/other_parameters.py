"""Other values for the parameters that a constructor fills with a constant: biases of zeros, weights
of ones. With these alone, an answer that never reads them, or reads them too often, is right.

The values follow from the number of elements, the constant and a seed. So a reference and a candidate
get the same ones, whatever the names, the order and the shapes of their parameters, and a constructor
that transposes or folds parameters reads the other values. Filled are: what nn.Parameter() is called
with, parameters that zero_() or fill_() sets as a whole (torch.nn.init calls these), and running
statistics of torch's norms. A candidate's are filled where the reference has one with the same number
of elements and the same constant.
"""

import hashlib
import math

import torch
from torch.nn.modules.batchnorm import _NormBase
from torch.utils._python_dispatch import TorchDispatchMode

_tensor, _parameter, _module = torch.Tensor, torch.nn.Parameter, torch.nn.Module
_FILLS = ("aten::zero_", "aten::fill_")
_STATISTICS = ("running_mean", "running_var")
# The other values of a constant spread by _SPAN of it. Those of 0, and of constants below _TINY, lie between _LEAST and
# _LEAST + _SPAN, with the sign of the constant: times 1e-6, as some layers begin, a wrong result would hardly differ.
_TINY, _LEAST, _SPAN = 1e-3, 0.25, 0.5


def _constant_of(tensor):
    """The one finite number that all elements of a tensor of floating-point numbers are, or None."""
    if not (isinstance(tensor, _tensor) and tensor.is_floating_point() and tensor.numel()
            and tensor.layout is torch.strided and tensor.device.type == "cpu"):
        return None
    values = tensor.detach()
    first = float(values.flatten()[:1].double())
    return first if abs(first) < float("inf") and bool((values == first).all()) else None


def digest(tensor):
    """Of the values of a tensor in row-major order."""
    values = tensor.detach().contiguous().reshape(-1).view(torch.uint8)
    return hashlib.sha256(values.numpy()).hexdigest()


class OtherParameters(TorchDispatchMode):
    """A context in which a model is constructed. `replaced`: what the reference's has replaced, or
    None for the reference."""

    def __init__(self, seed, replaced=None):
        super().__init__()
        self._seed, self._own = seed, replaced is None
        self._keys = {(item["elements"], item["constant"]) for item in replaced or ()}
        self._kept = {}  # Tensors that are filled, by the address of their memory.
        self._drawn = {}  # Constants by the digest of what is there instead.

    def __enter__(self):
        self._saved = (vars(_parameter)["__new__"], vars(_module)["register_buffer"])
        made, registered = _parameter.__new__, _module.register_buffer

        def new(cls, data=None, requires_grad=True):
            return self._of_parameter(made(cls, data, requires_grad))

        def register(module, name, tensor, *more, **named):
            registered(module, name, tensor, *more, **named)
            if name in _STATISTICS and (isinstance(module, _NormBase) or not self._own):
                self._fill(tensor)
        _parameter.__new__, _module.register_buffer = staticmethod(new), register
        return super().__enter__()

    def __exit__(self, *error):
        result = super().__exit__(*error)
        _parameter.__new__, _module.register_buffer = self._saved
        return result

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        if func._overloadpacket._qualified_op_name in _FILLS:
            kept = self._kept.get(args[0].untyped_storage().data_ptr())
            if kept is not None and kept.numel() == args[0].numel():
                self._fill(args[0])
        return result

    def _of_parameter(self, parameter):
        self._fill(parameter)
        return parameter

    def _fill(self, tensor):
        if tensor is None or not tensor.is_floating_point() or not tensor.numel():
            return
        self._kept.setdefault(tensor.untyped_storage().data_ptr(), tensor)
        constant = _constant_of(tensor)
        if constant is None or 0 in tensor.stride() or not (
                self._own or (tensor.numel(), constant.hex()) in self._keys):
            return
        text = f"{self._seed} {tensor.numel()} {constant.hex()}"
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:7], "big")
        generator = torch.Generator().manual_seed(seed)
        unit = torch.rand(tensor.numel(), generator=generator, dtype=torch.float64)
        if abs(constant) < _TINY:
            values = _LEAST + unit * _SPAN
            values *= (math.copysign(1, constant) if constant
                       else torch.randint(0, 2, unit.shape, generator=generator) * 2 - 1)
        else:
            values = constant + (unit - 0.5) * constant * _SPAN
        with torch.no_grad():
            tensor.detach().copy_(values.view(tensor.shape))
        self._drawn[digest(tensor)] = constant.hex()

    def filled(self, model):
        """[{"name", "elements", "constant", "sha256"}] of the parameters and statistics of a model
        that have other values; for a candidate, of all its parameters and buffers, with constants
        that are "" where they have their own."""
        found = []
        for name, tensor in (*_module.named_parameters(model), *_module.named_buffers(model)):
            sha256 = digest(tensor) if tensor.layout is torch.strided else ""
            if sha256 in self._drawn or not self._own:
                found.append({"name": name, "elements": tensor.numel(), "sha256": sha256,
                              "constant": self._drawn.get(sha256, "")})
        return found
