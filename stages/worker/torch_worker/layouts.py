"""Memory layouts in which a candidate gets its inputs. The values are the same in all of them; what
lies between elements, and before the first, is memory that was not written.

    own            as get_inputs() returns the tensors
    offset         row-major; the first element lies one element into its memory
    strided        row-major, with a gap after each row, of up to two rows
    stepped        row-major, with a gap of one to three elements after each
    transposed     the last two dimensions swapped
    channels_last  torch.channels_last, torch.channels_last_3d; for 4 and 5 dimensions
    expanded       all elements of a row are one element (stride 0), where their values are equal

A tensor with too few dimensions keeps its own layout. The trial's seed chooses the gaps.
"""

import torch

_tensor = torch.Tensor
_bytes = torch.uint8


def _strides(shape, order, gap=0, step=1):
    """The strides of dimensions that follow each other in this order in memory, the last one
    fastest. `gap` elements follow each row."""
    strides, reach = [0] * len(shape), step
    for place, dim in enumerate(reversed(order)):
        strides[dim] = reach
        reach *= max(shape[dim], 1)
        if place == 0:
            reach += gap
    return strides


def _laid_out_by(value, strides, offset=0):
    reach = 1 + sum(max(size - 1, 0) * stride for size, stride in zip(value.shape, strides))
    return value.new_empty(offset + reach).as_strided(value.shape, strides, offset).copy_(value)


def _expanded(value):
    """Compares bytes on the host: operators that compute raise by now."""
    if value.dim() == 0 or value.shape[-1] < 2 or value.numel() == 0 or not value.is_contiguous():
        return value
    rows = value.view(_bytes).numpy().reshape(-1, value.shape[-1], value.element_size())
    if not (rows == rows[:, :1]).all():
        return value
    first = value[..., :1]
    narrow = first.new_empty(first.shape).copy_(first)
    return narrow.expand(value.shape)


def _order(value, layout):
    """The order of dimensions in memory; None for a tensor that keeps its own layout."""
    dims = list(range(value.dim()))
    if layout == "transposed" and len(dims) > 1:
        return [*dims[:-2], dims[-1], dims[-2]]
    if layout == "channels_last" and len(dims) in (4, 5):
        return [0, *dims[2:], 1]
    return dims if layout in ("offset", "stepped") or (
        layout == "strided" and len(dims) > 1) else None


def _gap(row, seed):
    """A multiple of four elements, so that rows which may be read in vectors still may."""
    return 4 * (1 + seed % (row // 2 + 2))


def laid_out(value, layout, seed):
    if layout == "own" or not isinstance(value, _tensor) or value.dim() == 0:
        return value
    if layout == "expanded":
        return _expanded(value)
    order = _order(value, layout)
    if order is None:
        return value
    strides = _strides(value.shape, order,
                       gap=_gap(value.shape[-1], seed) if layout == "strided" else 0,
                       step=2 + seed // 64 % 3 if layout == "stepped" else 1)
    return _laid_out_by(value, strides, offset=1 if layout == "offset" else 0)
