"""Compares the outputs of an answer with those of its reference on the same device."""

import copy

import torch

from torch_worker import selections


def tensors_in(value):
    """The tensors in nested tuples, lists and dictionaries, in their order."""
    if torch.is_tensor(value):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return [tensor for item in value for tensor in tensors_in(item)]
    return []


def expected_outputs(model, before, seed, draw):
    """The outputs of a model for the inputs that `draw()` gives, and the SelectionLog of integer outputs, which may be
    indices; None without any. Changes the model as a call does; `before` is an equal one, and stays as it is."""
    torch.manual_seed(seed)
    outputs = tensors_in(model(*draw()))
    if not selections.has_integers(outputs):
        return outputs, None
    # The log takes seconds to start, which most tasks need not wait for.
    torch.manual_seed(seed)
    with selections.SelectionLog() as log:
        return tensors_in(copy.deepcopy(before)(*draw())), log


def _names_equals(expected, got, known, tolerance):
    """Whether indices point at elements that are, within the tolerance, those that `expected` points at, each at most
    once: the answer's sums have been rounded in another order. `known`: the log's entry for `expected`."""
    if known is None:
        return False
    lines, line_of = known[0].lines, known[1].to(expected.device)
    length = lines.shape[-1]
    if not ((got >= 0) & (got < length)).all():
        return False
    one, other = lines[line_of, expected], lines[line_of, got]
    equal = (one == other) | (one != one) & (other != other)
    if one.is_floating_point():
        equal |= (one - other).abs() <= tolerance + tolerance * one.abs()
    places = line_of * length
    return bool(equal.all()) and torch.unique(places + got).numel() == torch.unique(places + expected).numel()


def _near(expected, got, tolerance, exact):
    """Per element: within the tolerance of the reference, or of its float64 result and no worse than a few times the
    reference is."""
    wider = torch.complex128 if expected.is_complex() else torch.float64
    one, other = expected.to(wider), got.to(wider)
    # An infinite element has no tolerance.
    near = ((one - other).abs() <= tolerance + tolerance * one.abs()) & one.isfinite()
    near |= (one == other) | (one.isnan() & other.isnan())
    if exact is not None and not bool(near.all()):
        wide = exact.to(wider)
        if expected.is_floating_point():  # What this dtype cannot hold is infinite in it.
            limit = torch.finfo(expected.dtype).max
            wide = torch.where(wide.abs() > limit, wide * torch.inf, wide)
        bound = tolerance + tolerance * wide.abs() + 8 * (one - wide).abs()
        near |= ((other - wide).abs() <= bound) & wide.isfinite() & one.isfinite()
    return near


def difference(expected, got, log, tolerances, exact):
    """"" if the outputs agree, otherwise how they differ. `tolerances`: the absolute and relative one by dtype.
    `exact`: a function that gives the outputs in float64, or None; it is called where it matters."""
    if len(expected) != len(got):
        return f"{len(got)} tensors instead of {len(expected)}"
    wide = None
    for index, (one, other) in enumerate(zip(expected, got)):
        if one.shape != other.shape:
            return f"output {index} has the shape {tuple(other.shape)} instead of {tuple(one.shape)}"
        if one.dtype != other.dtype:
            return f"output {index} is {other.dtype} instead of {one.dtype}"
        other = other.to(one.device)
        tolerance = tolerances.get(str(one.dtype).removeprefix("torch."))
        if tolerance is None:
            if torch.equal(one, other):
                continue
            if log is not None and _names_equals(one, other, log.of(one), tolerances["float32"]):
                continue
            return f"{int((one != other).sum())} of {one.numel()} elements of output {index} differ"
        near = _near(one, other, tolerance, None)
        if not bool(near.all()):
            wide = exact() if wide is None else wide
            near = _near(one, other, tolerance, wide[index] if wide else None)
        if not bool(near.all()):
            return f"{int((~near).sum())} of {near.numel()} elements of output {index} differ"
    return ""
