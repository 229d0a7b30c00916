"""Answers the request kind "independence": along which sizes the reference is independent, as along
a batch: the result for a part of the inputs is that part of the result.

    {"sizes": {site id: value}, "sites": [id …], "training"}
    -> {"end": "independence", "sites": [[id, dimension] …]}
The dimension is the first of an input that the site decides.

It is shown by running: forward() on the first half and on the second half of the inputs gives the
halves of forward() on all of them, in float64 if the reference runs in it. One draw of values at
small sizes shows it, so a reference that mixes parts only for rare values, or only at large sizes,
would pass.
"""

import copy

import torch

from torch_worker.requests import admit, reference
from torch_worker.task_sizes import Sizes

_tensor = torch.Tensor
_SEED = 42
_RELATIVE = {torch.float64: 1e-6}
_OTHERWISE = 1e-4  # For dtypes in which the order of a sum shows.


class _Mixed(Exception):
    """The result for a part of the inputs is not that part of the result."""


def _shapes(values):
    return [list(item.shape) if isinstance(item, _tensor) else item for item in values]


def _half(values, shapes, last):
    """The tensors, narrowed to `shapes` in the dimensions that differ."""
    halves = []
    for value, shape in zip(values, shapes):
        if not isinstance(value, _tensor):
            if value != shape:
                raise _Mixed
        elif value.dim() != len(shape):
            raise _Mixed
        else:
            for dimension, size in enumerate(shape):
                start = value.shape[dimension] - size
                if start < 0:
                    raise _Mixed
                value = value.narrow(dimension, start if last else 0, size)
            value = value.contiguous()
        halves.append(value)
    return halves


def _same(first, second):
    if first.shape != second.shape or first.dtype != second.dtype:
        return False
    if not first.is_floating_point():
        return torch.equal(first, second)
    tolerance = _RELATIVE.get(first.dtype, _OTHERWISE)
    finite = first[torch.isfinite(first)]
    scale = float(finite.abs().max()) if finite.numel() else 0.0
    return torch.allclose(first, second, rtol=tolerance, atol=tolerance * scale, equal_nan=True)


def _constructed(code, training, double):
    """(inputs, model) of a text, in float64 if asked for."""
    namespace, _, model = reference.construct(reference.program_of(code), training)
    inputs = reference.draw(namespace, {"seed": _SEED, "values": "own"})
    if not double:
        return inputs, model
    return [item.double() if isinstance(item, _tensor) and item.is_floating_point() else item
            for item in inputs], model.double()


def _forward(model, inputs):
    # Every call has a model of its own: forward() may update running statistics.
    model = copy.deepcopy(model)
    return reference.forward(model, [item.clone() if isinstance(item, _tensor) else item
                                     for item in inputs], _SEED)


def _dimension(request, sizes, site, double):
    """The first dimension of an input that the site decides, if the halves show independence."""
    half = {**request["sizes"], str(site): _value(request, sizes, site) // 2}
    inputs, model = _constructed(sizes.apply(request["sizes"]), request["training"], double)
    smaller, small_model = _constructed(sizes.apply(half), request["training"], double)
    whole, shapes = _forward(model, inputs), _shapes(smaller)
    of_half = _shapes(_forward(small_model, smaller))
    changed = [dimension for before, after in zip(_shapes(inputs), shapes)
               if isinstance(before, list) and isinstance(after, list)
               for dimension, (one, other) in enumerate(zip(before, after)) if one != other]
    if not changed or len(inputs) != len(smaller) or len(whole) != len(of_half):
        raise _Mixed
    for last in (False, True):
        got = _forward(model, _half(inputs, shapes, last))
        for one, other in zip(got, _half(whole, of_half, last)):
            if not _same(one, other):
                raise _Mixed
    return changed[0]


def _value(request, sizes, site):
    return int(request["sizes"].get(str(site), sizes.sites[site]["value"]))


def handle(request):
    sizes, found = Sizes(request["code"]), []
    for site in request["sites"]:
        if _value(request, sizes, site) < 2:
            continue
        for double in (True, False):
            try:
                found.append([site, _dimension(request, sizes, site, double)])
                break
            except _Mixed:
                break
            except Exception:  # It may not run in float64.
                continue
    broken = admit.seal_broken()
    return {"end": "tampered", "detail": broken} if broken else {"end": "independence",
                                                                "sites": found}
