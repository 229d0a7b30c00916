"""Measures a task's outputs. C++ decides what the measurements mean.

The floats are for that decision only and never enter a record.
"""

import math

import torch

_tensor, _dict_get = torch.Tensor, object.__getattribute__
_as_subclass = torch._C.TensorBase.as_subclass
_functions_off = torch._C.DisableTorchFunctionSubclass
MOST_OUTPUTS = 2048  # A deep network has hundreds of buffers (module_buffers.py).
_BLOCK = 1 << 15  # Elements: two blocks in float64 stay in a processor's cache.
_PLAIN = frozenset([torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64,
                    torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool])


def outputs_of(value):
    """The tensors of a result in order: a tensor, or nested tuples, lists and dicts.

    An instance of a task's own subclass becomes a plain tensor, so that its methods are torch's.
    """
    found, stack = [], [value]
    while stack and len(found) < MOST_OUTPUTS:
        item = stack.pop()
        if isinstance(item, _tensor):
            with _functions_off():
                found.append(_as_subclass(item, _tensor))
        elif isinstance(item, (tuple, list)):
            stack.extend(reversed(item))
        elif isinstance(item, dict):
            stack.extend(reversed(list(item.values())))
    return found


def _plain(tensor):
    """The tensor as a strided one whose dtype torch can compare; complex numbers become pairs."""
    tensor = tensor.detach()
    if tensor.layout is not torch.strided:
        tensor = tensor.to_dense()
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor.resolve_conj())
    return tensor if tensor.dtype in _PLAIN else tensor.to(torch.float64)


def _ends(tensor):
    """The least and the largest value. Both are NaN when any value is."""
    low, high = torch.aminmax(tensor)
    return float(low), float(high)


def _farthest(first, second):
    """The largest distance between two tensors of one shape, in float64.

    Block by block: whole copies in float64 would cost more than the forward that made the values.
    """
    left, right = torch.empty(2, min(_BLOCK, first.numel()), dtype=torch.float64)
    farthest = 0.0
    for a, b in zip(first.reshape(-1).split(_BLOCK), second.reshape(-1).split(_BLOCK)):
        size = a.numel()
        low, high = _ends(left[:size].copy_(a).sub_(right[:size].copy_(b)))
        if math.isnan(low):
            return low
        farthest = max(farthest, abs(low), abs(high))
    return farthest


def _without_nan(tensor):
    return torch.nan_to_num(tensor.to(torch.float64))


def identical(first, second):
    """Whether two lists of tensors are equal; NaN equals NaN."""
    if len(first) != len(second):
        return False
    for a, b in zip(first, second):
        if a.shape != b.shape or a.dtype != b.dtype:
            return False
        a, b = _plain(a), _plain(b)
        if not torch.equal(a, b) and not torch.equal(_without_nan(a), _without_nan(b)):
            return False
    return True


def measure(outputs, others, inputs):
    """One entry per output. `others`: the outputs for inputs of another seed."""
    entries = []
    for index, output in enumerate(outputs):
        value = _plain(output)
        low, high = _ends(value) if value.numel() else (0.0, 0.0)
        finite = math.isfinite(low) and math.isfinite(high)
        entry = {"elements": value.numel(), "finite": finite, "exact": not (
            output.is_floating_point() or output.is_complex())}
        if finite and value.numel():
            entry["largest"] = max(abs(low), abs(high))
            other = _plain(others[index]) if index < len(others) else None
            if other is not None and other.shape == value.shape:
                other_low, other_high = _ends(other)
                if math.isfinite(other_low) and math.isfinite(other_high):
                    entry["change"] = _farthest(value, other)
                    low, high = min(low, other_low), max(high, other_high)
            entry["spread"] = high - low
            same = [_plain(item) for item in inputs
                    if isinstance(item, _tensor) and item.shape == output.shape
                    and item.is_complex() == output.is_complex()]
            entry["nearest_input"] = min((_farthest(value, item) for item in same), default=None)
        entries.append(entry)
    return entries


def parameters_of(model):
    """(name, tensor) of every parameter, each tensor once, in the order of construction."""
    found, seen, stack = [], set(), [("", model)]
    while stack:
        prefix, module = stack.pop()
        if id(module) in seen:
            continue
        seen.add(id(module))
        for name, tensor in _dict_get(module, "_parameters").items():
            if tensor is not None and id(tensor) not in seen:
                seen.add(id(tensor))
                found.append((prefix + name, tensor))
        children = _dict_get(module, "_modules").items()
        stack.extend((f"{prefix}{name}.", child) for name, child in reversed(list(children))
                     if child is not None)
    return found
