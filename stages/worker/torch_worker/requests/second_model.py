"""Another model of the process, whose parameters have other values, which is called before the one that is
judged."""

import contextlib

import torch

from torch_worker.requests import replay

_module = torch.nn.Module
_same_version = torch.autograd._unsafe_preserve_version_counter
_empty_like, _detach = torch.empty_like, torch._C.TensorBase.detach
_set_data = torch._C.TensorBase.data.__set__


def _values_of(model):
    return [*_module.parameters(model), *_module.buffers(model)]


@contextlib.contextmanager
def in_memory_of(model, another, copy):
    """Meanwhile the other model's parameters and buffers lie where this one's do, as where memory that was
    freed is given out again: their addresses tell nobody which model it is. `copy`: as
    exchange.copy_values()."""
    before = []
    for one, other in zip(_values_of(model), _values_of(another)):
        if not replay.alike(one, other) or not other.is_contiguous():
            continue
        values = _empty_like(one)
        copy(values, one)
        before.append((one, values))
        with _same_version(one):
            copy(one, other)
        _set_data(other, _detach(one))
    yield
    for one, values in before:
        with _same_version(one):
            copy(one, values)
