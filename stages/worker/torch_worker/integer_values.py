"""Kinds of values of integers (value_kinds.py): numbers of the whole range of their type, and positions
in another order or in long runs.
"""

import math

import torch

from torch_worker.integer_uses import is_order

_NUMBER = 61  # Odd, so that remainders by small numbers stay different.
_WIDE = {torch.int64: 1 << 40, torch.int32: 1 << 29}
# Bits of the largest numbers of "widest", the next where a result of the ones before leaves its type's
# range: sums of a thousand numbers of 52 bits do not.
_BITS = {torch.int64: (62, 52), torch.int32: (31, 30), torch.int16: (15, 14)}
_CODES = 1 << 12  # A smaller range of numbers may be one of codes, such as levels, with a table.
_RUNS = 8  # In the place of one row.


def repeated(x):
    if is_order(x):
        return x
    return x.flatten()[:1].expand(x.shape).contiguous()


def signed(x):
    if x.dtype == torch.uint8:
        return _all_bytes(x)
    if x.unique().numel() < 3:
        return x  # Flags.
    widest = torch.iinfo(x.dtype).max // (2 * _NUMBER)
    if int(x.abs().max()) > widest:
        return -x
    middle = (x.min() + x.max()) // 2
    return ((x - middle) * _NUMBER).to(x.dtype)


def _all_bytes(x):
    low, high = int(x.min()), int(x.max())
    if high - low < 2 or high - low == 255:
        return x
    return ((x.to(torch.int32) - low) * 255 // (high - low)).to(x.dtype)


def wide(x):
    """Numbers up to _WIDE: those of int64 need more than 32 bits, and so do sums of int32."""
    if x.dtype not in _WIDE or x.unique().numel() < 3:
        return signed(x)
    middle = (x.min() + x.max()) // 2
    scale = _WIDE[x.dtype] // max(1, int((x - middle).abs().max()))
    return (x - middle) * (scale | 1) if scale > 1 else x


def shuffled(x):
    """In steps that have no divisor in common with the length, so that every number stays."""
    length = x.shape[-1]
    if length < 4 or not torch.equal(x, torch.arange(length, dtype=x.dtype).expand(x.shape)):
        return x
    step = next(step for step in range(length // 2, length) if math.gcd(step, length) == 1)
    return x[..., (torch.arange(length) * step + 1) % length].contiguous()


def _widest(place, least):
    """`least`: a smaller range of numbers stays as it is."""
    def changed(x):
        low, high = int(x.min()), int(x.max())
        if x.dtype not in _BITS or high - low < least:
            return x
        middle = (low + high) // 2
        scale = ((1 << _BITS[x.dtype][place]) - 1) // max(high - middle, middle - low)
        return (x - middle) * (scale - (scale + 1) % 2) if scale > 2 else x
    return changed


WIDEST = [_widest(0, _CODES), _widest(1, _CODES)]
# Of those that are only compared, of which no table can be made: all but flags.
WIDEST_COMPARED = [_widest(0, 2), _widest(1, 2)]


def in_wider_type(x):
    """Integers in a type that holds larger ones too; anything else as it is."""
    if not isinstance(x, torch.Tensor) or x.dtype not in _BITS:
        return x
    return x.to(torch.float64 if x.dtype == torch.int64 else torch.int64)


def runs(x):
    """Ends stay, because the last of some offsets is a length."""
    length = x.shape[-1]
    if length < 8 * _RUNS or not bool((x[..., 1:] >= x[..., :-1]).all()):
        return x
    if bool((x[..., 1:] > x[..., :-1]).all()):
        return x  # Numbers of which none repeats may be places.
    run = length // _RUNS
    source = (torch.arange(length) + run // 3) // run * run
    source[0], source[-1] = 0, length - 1
    return x[..., source.clamp(max=length - 1)].contiguous()
