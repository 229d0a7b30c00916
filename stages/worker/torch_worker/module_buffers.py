"""The buffers of a module that forward() changes, such as the running statistics of training mode."""

import torch

from torch_worker import measures

_module = torch.nn.Module
_dict_get = object.__getattribute__
_CALLS = 2  # The first begins with what the constructor has filled in, which may be constants.


def held_by(model, kinds=("_parameters", "_buffers")):
    """{name: tensor} of a model's parameters and buffers, without a call of its own methods."""
    found, seen, stack = {}, set(), [("", model)]
    while stack:
        prefix, module = stack.pop()
        if module is None or (id(module), prefix) in seen or len(seen) > measures.MOST_OUTPUTS:
            continue
        seen.add((id(module), prefix))
        for kind in kinds:
            found.update((prefix + name, tensor)
                         for name, tensor in _dict_get(module, kind).items() if tensor is not None)
        children = reversed(list(_dict_get(module, "_modules").items()))
        stack.extend((f"{prefix}{name}.", child) for name, child in children)
    return found


class WithBuffers(_module):
    """A model that is called twice with the same inputs: its outputs of the second call, and then its
    buffers of these names. A tensor without elements stands for one that it does not have, whose
    shape differs from the reference's then."""

    def __init__(self, model, names):
        super().__init__()
        self.model, self.names, self.missing = model, names, torch.empty(0)

    def forward(self, *inputs):
        for _ in range(_CALLS):
            outputs = measures.outputs_of(self.model(*inputs))
        held = held_by(self.model)
        return [*outputs, *(held.get(name, self.missing) for name in self.names)]


def _differ(buffer, other):
    try:
        return not measures.identical([buffer], [other])
    except Exception:  # Torch compares no quantized tensors, and none without data.
        return False


def changed(before, after):
    """The names of buffers that differ between a model and its copy after a call."""
    left = held_by(after)
    return [name for name, buffer in _module.named_buffers(before)
            if name in left and _differ(buffer, left[name])]


def may_change(model, names, training):
    """The tensors that calls of an answer may change: those that the reference's forward() changes,
    and in training mode, if there are any, averages and counts of 64 bits, which may have another
    name. Other integers may wrap."""
    held = held_by(model)
    return [held[name] for name in names if name in held] + [
        item for item in held_by(model, ("_buffers",)).values()
        if training and names and (item.is_floating_point() or item.dtype == torch.int64)]
