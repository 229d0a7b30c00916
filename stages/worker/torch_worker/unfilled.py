"""Constructs a model whose large tensors have no values: they only reserve addresses, so that a model of any
size can be constructed at once. For runs that ask where kernels read and write, not what.
"""

import torch
from torch.utils._python_dispatch import TorchDispatchMode

_tensor = torch.Tensor
_MOST = 1 << 20  # Elements of a tensor that gets its values.


def _tensors(values):
    for value in values:
        if isinstance(value, _tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _tensors(value)


class Unfilled(TorchDispatchMode):
    """A context. Operators that only give values to one large tensor, or create one of floating-point
    numbers, leave it as the system gives it."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        given = list(_tensors([*args, *kwargs.values()]))
        names = {argument.name for argument in func._schema.arguments}
        if not given and "device" in names:
            shape = func(*args, **{**kwargs, "device": "meta"})
            if isinstance(shape, _tensor) and shape.is_floating_point() and shape.numel() > _MOST:
                return torch.empty_like(shape, device="cpu")
        elif (len(given) == 1 and given[0].numel() > _MOST and args and args[0] is given[0]
              and func._schema.arguments[0].is_write and func._schema.name.endswith("_")):
            return args[0]
        return func(*args, **kwargs)
