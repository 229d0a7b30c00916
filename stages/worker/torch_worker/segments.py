"""Integers that divide others into segments: offsets, or lengths. get_inputs() often makes segments of
one length, and a kernel may then be right for that length alone. The kind of values "segments"
(value_kinds.py) makes one segment as long as half of all, others short, and, where the result stays
finite, every third one empty.

Offsets are integers in order from 0 on, on the average more than one apart. The last of them stays: it may
be the length of all. Lengths are integers whose sum is the size of a dimension of another input. Left
out are inputs of which another one may say the same: a number, such as the largest length, or numbers
of segments in order.
"""

import torch

from torch_worker.integer_uses import is_order

_FEWEST = 4
_tensor = torch.Tensor


def _is_vector(x):
    return x.dtype in (torch.int64, torch.int32) and x.dim() == 1 and x.numel() >= _FEWEST


def _are_offsets(x):
    return _is_vector(x) and int(x[0]) == 0 and int(x[-1]) >= x.numel() and is_order(x)


def _are_lengths(x, inputs):
    total = int(x.sum()) if _is_vector(x) and int(x.min()) > 0 else 0
    return total > x.numel() and any(
        total in item.shape for item in inputs if isinstance(item, _tensor) and item is not x)


def _uneven(count, total, empty):
    """Lengths of `count` segments. `empty`: whether some are empty."""
    numbers = torch.arange(count)
    middle = count // 2
    used = (numbers % 3 != 0) | (numbers == middle) if empty else numbers >= 0
    lengths = used.to(torch.int64)
    rest = total - int(lengths.sum())
    lengths[middle] += rest // 2
    rest -= rest // 2
    places = used.nonzero().flatten()
    lengths[places] += rest // places.numel()
    lengths[places[0]] += rest % places.numel()
    return lengths


def uneven(empty):
    """A function of all inputs, which returns the function that changes one of them."""
    def made(inputs):
        integers = [item for item in inputs if isinstance(item, _tensor) and not (
            item.is_floating_point() or item.is_complex() or item.dtype == torch.bool)]
        counts = set()
        for x in integers:
            if _are_offsets(x):
                counts.add(x.numel() - 1)
            elif _are_lengths(x, inputs):
                counts.add(x.numel())
            elif x.numel() < 2 or (x.dim() == 1 and is_order(x)):
                return lambda x: x
        if len(counts) != 1 or any(type(item) is int for item in inputs):
            return lambda x: x

        def changed(x):
            if _are_offsets(x):
                lengths = _uneven(x.numel() - 1, int(x[-1]), empty)
                return torch.cat([lengths.new_zeros(1), lengths.cumsum(0)]).to(x.dtype)
            if _are_lengths(x, inputs):
                return _uneven(x.numel(), int(x.sum()), empty).to(x.dtype)
            return x
        return changed
    return made
