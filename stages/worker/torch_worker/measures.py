"""Figures about a task's outputs. They are reported; what they mean is decided in C++.

All floats here are for that decision only and never enter a record.
"""

import torch

_tensor, _dict_get = torch.Tensor, object.__getattribute__
_as_subclass, _functions_off = torch._C.TensorBase.as_subclass, torch._C.DisableTorchFunctionSubclass
_MAX_OUTPUTS = 64


def outputs_of(value):
    """The tensors of a result in order: a tensor, or nested tuples, lists and dicts.

    A subclass of a task's own becomes a plain tensor, so that its methods are torch's.
    """
    found, stack = [], [value]
    while stack and len(found) < _MAX_OUTPUTS:
        item = stack.pop()
        if isinstance(item, _tensor):
            with _functions_off():
                found.append(_as_subclass(item, _tensor))
        elif isinstance(item, (tuple, list)):
            stack.extend(reversed(item))
        elif isinstance(item, dict):
            stack.extend(reversed(list(item.values())))
    return found


def _real(tensor):
    """As float64, strided and real; complex numbers as pairs."""
    tensor = tensor.detach()
    if tensor.layout is not torch.strided:
        tensor = tensor.to_dense()
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor.resolve_conj())
    return tensor.to(torch.float64)


def _largest(tensor):
    return float(tensor.abs().max()) if tensor.numel() else 0.0


def identical(first, second):
    """Whether two lists of tensors agree in every bit that a reader could tell apart."""
    if len(first) != len(second):
        return False
    for a, b in zip(first, second):
        if a.shape != b.shape or a.dtype != b.dtype:
            return False
        if not torch.equal(torch.nan_to_num(_real(a)), torch.nan_to_num(_real(b))):
            return False
    return True


def measure(outputs, others, inputs):
    """One entry an output. `others`: the outputs for inputs of another seed."""
    entries = []
    for index, output in enumerate(outputs):
        value = _real(output)
        finite = bool(torch.isfinite(value).all())
        entry = {"elements": value.numel(), "finite": finite, "exact": not (
            output.is_floating_point() or output.is_complex())}
        if finite and value.numel():
            low, high = float(value.min()), float(value.max())
            entry["largest"] = _largest(value)
            other = _real(others[index]) if index < len(others) else None
            if other is not None and other.shape == value.shape and bool(
                    torch.isfinite(other).all()):
                entry["change"] = _largest(value - other)
                low, high = min(low, float(other.min())), max(high, float(other.max()))
            entry["spread"] = high - low
            entry["nearest_input"] = min(
                (_largest(value - _real(item)) for item in inputs
                 if isinstance(item, _tensor) and item.shape == output.shape), default=None)
        entries.append(entry)
    return entries


def parameters_of(model):
    """Name, tensor of every parameter, each tensor once, in the order of construction."""
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
