"""The rare kinds of values, which only a contract of any values asks for; otherwise a verdict grades
what an answer does for them:

    infinite       -inf in a part of some rows, in all of others and in one input alone; one +inf
    nan            one NaN in every other row, in other rows of the next input
    subnormal      every other row is so small that its elements are subnormal
    extreme        one element of each row is near the limit of the dtype
    shifted        the mean is far larger than the deviation
    ignored        integers: every fourth is -100, the ignore_index of torch's losses
    spike          one element of the first input is millions of times as large. Only elements of the
                   result that do not depend on it are compared: a running sum may lose them, and so may
                   a Fourier transform
    thresholds     "bounds" (value_kinds.py) with numbers that the dtype rounds, too

Tensors of one dimension are rows of one element here, except for "shifted". Each change leaves the
shape, and zeros of triangular and sparse matrices are not kept: rare values are about formulas.
"""

import torch

_IGNORED = -100
_SPIKE = 2.0 ** 23
_SHIFT, _NARROW = 1000.0, 2.0 ** -6
# The largest power of two by which a number of [1, 2) may be multiplied to be subnormal, or to be
# within a factor of four of the largest.
_SUBNORMAL = {torch.float16: 2.0 ** -16, torch.bfloat16: 2.0 ** -130, torch.float32: 2.0 ** -130}
_EXTREME = {torch.float16: 2.0 ** 14, torch.bfloat16: 2.0 ** 126, torch.float32: 2.0 ** 126}


def _length(x):
    return x.shape[-1] if x.dim() > 1 else 1


def _places(x):
    """(number of the row, number in its row) of each element, shaped as `x`."""
    numbers = torch.arange(x.numel()).view(x.shape)
    return numbers // _length(x), numbers % _length(x)


def _infinite(x, place, inputs):
    rows, columns = _places(x)
    kind = rows % 6
    some = columns % 5 == 2 if x.dim() > 1 else columns == 0
    alone = (kind == 4) & some if place == 0 else (kind == 5) & some
    low = ((kind == 1) & some) | (kind == 3) | (alone & (inputs > 1))
    high = (kind == 2) & (columns == rows % _length(x))
    changed = torch.where(low, torch.full_like(x, -torch.inf), x)
    return torch.where(high, torch.full_like(x, torch.inf), changed)


def _once(x):
    """One element of each row."""
    rows, columns = _places(x)
    return columns == rows * 7 % _length(x)


def _nan(x, place, _inputs):
    once = _once(x) & ((_places(x)[0] + place) % 2 == 1)
    return torch.where(once, torch.full_like(x, torch.nan), x)


def _normal(x):
    """In [1, 2) or (-2, -1], with its sign."""
    mantissa = torch.frexp(x.float()).mantissa * 2
    return torch.where(mantissa == 0, torch.ones_like(mantissa), mantissa)


def _subnormal(x, _place, _inputs):
    if x.dtype not in _SUBNORMAL:
        return x
    small = (_normal(x) * _SUBNORMAL[x.dtype]).to(x.dtype)
    return torch.where(_places(x)[0] % 2 == 1, small, x)


def _extreme(x, _place, _inputs):
    if x.dtype not in _EXTREME:
        return x
    large = (_normal(x) * _EXTREME[x.dtype]).to(x.dtype)
    return torch.where(_once(x), large, x)


def _shifted(x, _place, _inputs):
    return x if x.dtype == torch.float16 else x * _NARROW + _SHIFT


def _ignored(x, _place, _inputs):
    every_fourth = torch.arange(x.numel()).view(x.shape) % 4 == 1
    return torch.where(every_fourth, torch.full_like(x, _IGNORED), x)


def _spike(x, place, _inputs):
    if place > 0 or x.dtype not in (torch.float32, torch.float64) or x.numel() < 2:
        return x
    rows, columns = _places(x)
    once = (rows == x.numel() // _length(x) // 2) & (columns == _length(x) // 8)
    return torch.where(once, (x.abs().max() + 1) * _SPIKE, x)


def without_affected(oracle, calm):
    """The results with a spike where they are those without it, and NaN elsewhere. `calm`: those without
    it, or None."""
    if calm is None:
        return None
    return [torch.where(one == other, one, torch.nan)
            if one.is_floating_point() and one.shape == other.shape else one
            for one, other in zip(oracle, calm)]


def _is_floating(x):
    return x.is_floating_point()


# Kind → (which inputs it changes, how: a tensor, its number among these inputs, and their count).
RARE = {
    "infinite": (_is_floating, _infinite),
    "nan": (_is_floating, _nan),
    "subnormal": (_is_floating, _subnormal),
    "extreme": (_is_floating, _extreme),
    "shifted": (_is_floating, _shifted),
    "ignored": (lambda x: x.dtype in (torch.int64, torch.int32), _ignored),
    "spike": (_is_floating, _spike),
}
