"""Masks whose ones, or zeros, come first or last in each row: get_inputs() often makes them of lengths,
and a kernel may then take the mask for a length, or search for its end. The kind of values "holes"
(value_kinds.py) gives them ones in other places.

A mask is a tensor of integers or floating-point numbers of which all are zero or one other number, or
of integers that are all one. Left out are those whose shape or order may say more: triangular and
symmetric matrices, and rows of one number each, which may stand for its place.
"""

import torch

_HOLES = 3  # Every third number of the ones, from the second on.
_SHORTEST = 4
_SAMPLE = 256


def _is_matrix_with_order(x):
    return x.dim() > 1 and x.shape[-1] == x.shape[-2] and (
        torch.equal(x, x.tril()) or torch.equal(x, x.triu())
        or torch.equal(x, x.transpose(-1, -2)))


def is_mask(x):
    if x.dim() == 0 or x.shape[-1] < _SHORTEST or x.dtype == torch.bool:
        return False
    if x.flatten()[:_SAMPLE].unique().numel() > 2:
        return False
    on = x != 0
    values = x[on]
    if not values.numel() or not bool((values == values[0]).all()) or _is_matrix_with_order(x):
        return False
    if bool(on.all()):
        return x.dim() > 1 and not x.is_floating_point() and int(values[0]) == 1
    changes = (on[..., 1:] != on[..., :-1]).sum(-1)
    ones = on.sum(-1)
    return int(changes.max()) <= 1 and bool((ones != 1).any())


def with_holes(x):
    """No row gets empty or full. In turn: rows with holes, rows whose ends are exchanged, and rows that
    are moved on by half of their length."""
    if not is_mask(x):
        return x
    on = x != 0
    length = x.shape[-1]
    rows = torch.arange(x.numel() // length).view(*x.shape[:-1], 1)
    number = on.cumsum(-1)  # From one on.
    holes = on & (number % _HOLES != 2)
    moved = on.roll(length // 2, -1)
    found = torch.where(rows % 3 == 0, holes, torch.where(rows % 3 == 1, on.flip(-1), moved))
    return torch.where(found, x[on][0], torch.zeros_like(x))
