"""Finds the outputs of a reference that are indices into another tensor.

When several elements are equal, torch does not specify which of them sort(), topk() or kthvalue()
return, and its kernels differ. Such an index is right when the element that it points at is. When
sums were rounded before elements were compared, argmax() can also return another element that is as
large within rounding. For such comparisons this records, from the reference's run alone, the tensor
that was searched, as lines of elements, and for each index the line that it points into.
"""

import torch
from torch.utils._python_dispatch import TorchDispatchMode

_aten = torch.ops.aten
_INTEGERS = (torch.int64, torch.int32)


def _argument(func, args, kwargs, name):
    """The value of an operator's argument, or its default."""
    for place, argument in enumerate(func._schema.arguments):
        if argument.name == name:
            if name in kwargs:
                return kwargs[name]
            return args[place] if place < len(args) else argument.default_value
    return None


def _is_open(func, args, kwargs):
    """Whether any of several equal elements is right: not when the call asks for an order."""
    return (not _argument(func, args, kwargs, "stable")
            and _argument(func, args, kwargs, "sorted") is not False)


# Operator → (which of its results are indices, whether any of several equal elements is right). For
# max(), min(), argmax() and argmin() torch specifies the first one.
_FINDERS = {
    _aten.sort.default: (1, _is_open),
    _aten.sort.stable: (1, _is_open),
    _aten.topk.default: (1, _is_open),
    _aten.kthvalue.default: (1, _is_open),
    _aten.median.dim: (1, _is_open),
    _aten.nanmedian.dim: (1, _is_open),
    _aten.mode.default: (1, _is_open),
    _aten.max.dim: (1, None),
    _aten.min.dim: (1, None),
    _aten.argmax.default: (None, None),
    _aten.argmin.default: (None, None),
}
_COPIES = (_aten.clone.default, _aten._to_copy.default)


def _same_layout(values, like):
    """The values with the strides of another tensor of the same shape."""
    target = torch.empty_strided(like.size(), like.stride(), dtype=values.dtype)
    return target.copy_(values)


class _Found:
    """One result of indices: the searched lines, and the line of each index."""

    def __init__(self, searched, dim, indices, is_open):
        rank = searched.dim()
        if dim is None:
            searched, dim, rank = searched.reshape(-1), 0, 1
        elif rank == 0:
            searched, rank = searched.reshape(1), 1
        dim %= rank
        moved = searched.movedim(dim, -1)
        self.lines = moved.reshape(-1, moved.shape[-1]).clone()
        numbers = torch.arange(self.lines.shape[0]).reshape(moved.shape[:-1])
        if indices.dim() == rank:
            numbers = numbers.unsqueeze(dim)
        self.is_open = is_open
        self.line_of = numbers.expand(indices.shape)


def has_integers(outputs):
    return any(output.dtype in _INTEGERS for output in outputs)


class SelectionLog(TorchDispatchMode):
    """A context. Afterwards of(output) is (_Found, the lines of its elements) for an output that
    consists of indices, or None."""

    def __init__(self):
        super().__init__()
        self._results = []  # (indices or a copy of them, their version, what was found, lines)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        finder = _FINDERS.get(func)
        if finder is None:
            result = func(*args, **kwargs)
            if func in _COPIES and result.dtype in _INTEGERS:
                known = self._locate(args[0])
                if known is not None:
                    self._keep(result, *known)
            return result
        searched = args[0].clone()
        result = func(*args, **kwargs)
        at, is_open = finder
        indices = result if at is None else result[at]
        if indices.numel():
            dim = _argument(func, args, kwargs, "dim")
            found = _Found(searched, dim, indices,
                           is_open is not None and is_open(func, args, kwargs))
            self._keep(indices, found, found.line_of)
        return result

    def _keep(self, tensor, found, line_of):
        self._results.append((tensor, tensor._version, found, _same_layout(line_of, tensor)))

    def _locate(self, tensor):
        """(_Found, the lines of its elements) for a view of known indices, or None."""
        for kept, version, found, line_of in self._results:
            if (tensor.untyped_storage().data_ptr() == kept.untyped_storage().data_ptr()
                    and tensor.dtype == kept.dtype and kept._version == version
                    and _is_part(tensor, kept)):
                return found, line_of.as_strided(tensor.size(), tensor.stride(),
                                                 tensor.storage_offset() - kept.storage_offset())
        return None

    def of(self, output):
        if output.dtype not in _INTEGERS or not output.numel():
            return None
        return self._locate(output)


def _is_part(tensor, whole):
    """Whether a view has each of its elements once, in a tensor that fills its memory."""
    offset = tensor.storage_offset() - whole.storage_offset()
    reach = 1 + sum((size - 1) * step for size, step in zip(tensor.size(), tensor.stride()))
    repeats = any(size > 1 and step == 0 for size, step in zip(tensor.size(), tensor.stride()))
    return (offset >= 0 and offset + reach <= whole.numel() and not repeats
            and tensor.numel() <= whole.numel()
            and whole.untyped_storage().nbytes() == whole.numel() * whole.element_size())


def describe(outputs, log, oracle_log, oracle, buffer):
    """What the judge needs to compare each output: None, or the searched lines, those of the
    float64 run if there is one, the line of each index, and whether any of several equal elements
    is right."""
    described = []
    for place, output in enumerate(outputs):
        known = log.of(output)
        if known is None:
            described.append(None)
            continue
        found, line_of = known
        exact = None
        if oracle is not None and found.lines.is_floating_point():
            other = oracle_log.of(oracle[place])
            if other is not None and other[0].lines.shape == found.lines.shape:
                exact = buffer.put(other[0].lines)
        described.append({"lines": buffer.put(found.lines), "exact": exact,
                          "line_of": buffer.put(line_of), "open": found.is_open})
    return described
