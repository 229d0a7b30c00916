"""Finds the numbers at which a reference decides: those of its text that it compares an input with, and
the half steps of an input that it rounds. It looks only at inputs themselves, at their signs and parts,
and at what a power of two has scaled, because anything else is rounded before it is compared, so that
another right order of operations may take the other side.
"""

import math

import torch
from torch.utils._python_dispatch import TorchDispatchMode

_tensor = torch.Tensor
_SAME = frozenset("""
    alias detach view _unsafe_view reshape clone abs neg expand squeeze unsqueeze permute transpose t
    slice select
""".split())
_COMPARE = frozenset("""
    eq ne lt le gt ge hardshrink softshrink threshold hardtanh clamp clamp_min clamp_max
""".split())
_MOST_STEPS = 1 << 20  # Halves of larger numbers of steps are not exact in float32.


class DecisionPoints(TorchDispatchMode):
    """A context in which forward() runs. Afterwards `bounds` has the numbers by the place of the input
    among the leaves of all, and `scales` that of the rounding: what the input is multiplied by before."""

    def __init__(self, inputs):
        super().__init__()
        # A tensor stays alive here, so that no other has its id.
        self._scaled = {id(item): (place, 1.0, item) for place, item in enumerate(inputs)
                        if isinstance(item, _tensor) and item.is_floating_point()}
        self.bounds, self.scales = {}, {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        known = self._scaled.get(id(args[0])) if args else None
        if known is not None:
            self._note(func._schema.name.removeprefix("aten::"), known,
                       [*args[1:], *kwargs.values()], result)
        return result

    def _note(self, name, known, others, result):
        place, scale, _ = known
        numbers = [float(item) for item in others if type(item) in (int, float)]
        if name in _SAME:
            self._keep(result, place, scale)
        elif name in ("mul", "div") and len(numbers) == 1 and _is_power_of_two(numbers[0]):
            self._keep(result, place,
                       scale * numbers[0] if name == "mul" else scale / numbers[0])
        elif name in _COMPARE:
            self.bounds.setdefault(place, []).extend(
                number / scale for number in numbers if math.isfinite(number))
        elif name == "round" and not others:
            self.scales[place] = scale

    def _keep(self, result, place, scale):
        if isinstance(result, _tensor):
            self._scaled[id(result)] = (place, scale, result)


class RoundedNumbers(TorchDispatchMode):
    """A context in which a reference compares in float64 with the numbers that it compares with in
    `dtype`: a number of its text there is another one."""

    def __init__(self, dtype):
        super().__init__()
        self._dtype = dtype

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func._schema.name.removeprefix("aten::") in _COMPARE:
            args = [self._rounded(item) for item in args]
            kwargs = {name: self._rounded(item) for name, item in (kwargs or {}).items()}
        return func(*args, **(kwargs or {}))

    def _rounded(self, item):
        return float(torch.tensor(item, dtype=self._dtype)) if type(item) is float else item


class OpenCasts(TorchDispatchMode):
    """A context. Afterwards `found` says whether a number was converted to an integer's type that does
    not hold it: this processor and a device give other results, and torch leaves them open."""

    def __init__(self):
        super().__init__()
        self.found = False

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        name = func._schema.name.removeprefix("aten::")
        if name in ("_to_copy", "copy_"):
            given = args[1] if name == "copy_" else args[0]
            self.found |= given.is_floating_point() and _is_integral(result.dtype) and not _fits(
                given, torch.iinfo(result.dtype))
        return result


def _is_integral(dtype):
    return not (dtype.is_floating_point or dtype.is_complex or dtype == torch.bool)


def _fits(numbers, limits):
    """Whether all are in range, when their fractions are cut off. In float64 the highest int64 is 2^63,
    which is no int64."""
    numbers = numbers.double().trunc()
    return bool(((numbers >= limits.min) & (numbers < float(limits.max) + 1)).all())


def _is_power_of_two(number):
    return math.isfinite(number) and abs(math.frexp(number)[0]) == 0.5


def is_exact(number, dtype):
    return float(torch.tensor(number, dtype=dtype)) == number


def at_points(x, bounds, scale):
    """Every other element is one of the bounds, with either sign, or next to it. Those that are rounded
    after a multiplication by `scale` (None: none is) lie half way between two steps."""
    changed = x
    if scale is not None:
        steps = (x * scale).floor() + 0.5
        halves = (steps / scale).to(x.dtype)
        exact = (halves * scale == steps) & (steps.abs() < _MOST_STEPS)
        changed = torch.where(exact, halves, x)
    if not bounds:
        return changed
    near = torch.tensor([sign * item for item in dict.fromkeys(bounds) for sign in (1, -1)],
                        dtype=x.dtype)
    beside = near[near != 0]
    near = torch.cat([near, *(torch.nextafter(beside, torch.full_like(beside, side))
                              for side in (torch.inf, -torch.inf))])
    places = torch.arange(x.numel()).view(x.shape)
    return torch.where(places % 2 == 1, near[places // 2 % near.numel()], changed)
