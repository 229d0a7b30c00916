"""The kinds of values that a trial's inputs have. Each changes what get_inputs() returns:

    own            nothing
    centred …      floating-point inputs: those of the table _SHARED
    changed        floating-point inputs: the first trial's, with one other element in each tensor
    changed_rows   the same, with one other element in each row
    lowest         all far below zero, near the limits of the dtype as far as the result is finite, also
                   by formulas that compute in float32 only: beyond the root of the largest number
    highest        all far above zero, as far
    faint          rows 2 ** -24 and 2 ** -40 times as large, about as large as an epsilon
    tail           one element of a row is large, and many small ones sum to as much, or their
                   exponentials to a share that shows
    clustered      the largest elements of a row lie at one distance from each other, or together
    across         the same along another dimension than the last
    minute         about 2 ** -100, where products of two numbers underflow; only for results that are
                   no floating-point numbers
    bounds         some are equal to numbers that the reference compares them with, or next to these,
                   and those that it rounds lie half way between two steps (decision_points.py)
    repeated       integers: all are equal to one that get_inputs() returns
    signed         integers that are numbers, not positions: negative and larger ones, of int64 larger
                   than 32 bits, and of uint8 all that there are
    widest         integers that are only computed with and ordered: up to the limits of their type,
                   as far as no result leaves its own. Not those of a small range, which may be codes,
                   but where they are only compared with each other
    runs           integers in order that repeat, such as numbers of segments: long runs of equal ones
    segments       integers that divide others: offsets or lengths of uneven segments (segments.py)
    holes          integers and floating-point numbers that are masks: their ones do not come first
                   (masks.py)
    shuffled       integers in order that are places of a table: in another order
    flags          bools: rows that are all false, all true, and true once; of a triangle, holes
    meeting        floating-point inputs that are compared with others: some are equal to these
    infinite …     the rare ones (rare_values.py)

Those before them (of `SPECIAL`) are left out, as Unfair, where a right kernel may differ from the
reference: where nothing changes, where the result is not finite or is not nearly that in float64,
where integers leave the range of a type, and where the textbook's formulas (textbook.py) give another
one. What decides on an answer must be exact for every right kernel, or within the tolerance. So
"bounds" has no number that the dtype rounds, which a kernel may compare with in double, and all that
is right only for some ways to compute the same (a spike among small numbers, say) is rare.
"""

import itertools
import math

import torch

from torch_worker import (decision_points, exchange, integer_values, masks, rare_values,
                          segments)

_tensor = torch.Tensor
_LARGE, _HUGE, _TINY, _LEVELS, _FAR = 64.0, 256.0, 2.0 ** -10, 4.0, 4096.0
_MOST_HALF = 16
_FAINT = (-24, -40)
_MINUTE = -100
_SHARE = 4.6  # A tail's exponentials sum to about e ** -4.6 of the whole.
_DISTANCES = (256, 32, 1, 128, 512, 64, 1024)
_CLUSTER = 16
_MOST_MET = 4096  # Elements of a tensor whose values others get.
_LONGEST_CONSTANT = 4096


class Unfair(Exception):
    """The kind does not say whether a kernel is right."""


def _centred(x):
    return torch.where(x != 0, x - 0.5, x) if bool((x >= 0).all()) else x


def _of_rows(change):
    """Changes a tensor of rows. A triangular, symmetric or sparse input must remain one, so that it
    does not change."""
    def changed(x):
        if x.dim() < 2 or bool((x == 0).any()) or (
                x.shape[-1] == x.shape[-2] and torch.equal(x, x.transpose(-1, -2))):
            return x
        return change(x)
    return changed


def _constant(x):
    """Each row has one value. Not long ones: the roundings of a sum of equal numbers in order all
    have one sign, so that a right float32 sum leaves the tolerance, which one of random numbers
    does not."""
    if x.shape[-1] > _LONGEST_CONSTANT:
        return x
    return x[..., :1].expand_as(x).contiguous()


def _rows_of(x):
    """The number of each row, with one column."""
    return torch.arange(x.numel() // x.shape[-1]).view(*x.shape[:-1], 1)


def _one_hot(x):
    """One element of each row, at another place in the next row; all others are zero."""
    columns = torch.arange(x.shape[-1])
    return torch.where(columns == _rows_of(x) % x.shape[-1], x, torch.zeros_like(x))


def _outlier(x):
    """One element of the tensor is far larger than all others."""
    far = x.clone(memory_format=torch.contiguous_format)
    far.view(-1)[x.numel() // 2] *= _FAR
    return far


def _other_element(x, places):
    """Elements at some places are the largest or the smallest, whichever is farther."""
    low, high = x.min(), x.max()
    return torch.where(places, torch.where(x - low > high - x, low, high), x)


def _changed_element(x):
    place = int(torch.randint(0, x.numel(), (1,)))
    return _other_element(x, (torch.arange(x.numel()) == place).view(x.shape))


def _changed_rows(x):
    places = torch.randint(0, x.shape[-1], (*x.shape[:-1], 1))
    return _other_element(x, torch.arange(x.shape[-1]) == places)


def _far_off(sign, half, other, most):
    """Between one and `most` times a power of two, and up to _MOST_HALF times one of float16."""
    def changed(x):
        is_half = x.dtype == torch.float16
        scaled = (1 + x.abs().clamp(max=(_MOST_HALF if is_half else most) - 1)) * 2.0 ** (
            half if is_half else other)
        return torch.where(x != 0, sign * scaled, x).to(x.dtype)
    return changed


def _minute(x):
    return x if x.dtype == torch.float16 else x * 2.0 ** _MINUTE


def _faint(x):
    if x.dtype == torch.float16:
        return x  # It has no such numbers.
    if x.dim() < 2:
        return x * 2.0 ** _FAINT[0]
    odd = (_rows_of(x) % 2).to(x.dtype)
    return x * (2.0 ** _FAINT[0] * (1 - odd) + 2.0 ** _FAINT[1] * odd)


def _tail(x):
    """Rows of even numbers: one element is so far above the others that their exponentials sum to a
    share of about one in a hundred. Rows of odd numbers: one element is as large as all others."""
    length = x.shape[-1]
    rows, columns = _rows_of(x), torch.arange(length)
    noise = x.clamp(-1, 1) / 4
    half = (math.log(length) + _SHARE) / 2
    peak = columns == rows * 7 % length
    deep = torch.where(peak, torch.full_like(x, half), noise - half)
    wide = torch.where(peak, torch.full_like(x, float(length)), 1 + noise)
    return torch.where(rows % 2 == 0, deep, wide).to(x.dtype)


def _clustered(x):
    """Adds to those elements of a row that lie at one distance, or to some neighbours."""
    length = x.shape[-1]
    rows, columns = _rows_of(x), torch.arange(length)
    if length < 2 * _CLUSTER:
        return x
    distance = torch.tensor(_DISTANCES)[rows % len(_DISTANCES)].clamp(max=length // 4)
    first = rows * 5 % length
    apart = (columns - first) % distance == 0
    together = (columns - first) % length < _CLUSTER
    step = 4 * (x.abs().amax() + 1)
    return x + torch.where(torch.where(distance == 1, together, apart), step, step * 0).to(x.dtype)


def _clustered_along(x, dim):
    return _clustered(x.movedim(dim, -1).contiguous()).movedim(-1, dim).contiguous()


def _across(x):
    """Along the last dimension but one, and along the second of every other matrix or image."""
    changed = _clustered_along(x, x.dim() - 2)
    if x.dim() < 4:
        return changed
    odd = (torch.arange(x.shape[0]) % 2 == 1).view(-1, *[1] * (x.dim() - 1))
    return torch.where(odd, _clustered_along(x, 1), changed)


def _flags(x):
    if x.dim() < 2:
        return torch.zeros_like(x)
    rows, columns = _rows_of(x), torch.arange(x.shape[-1])
    if x.shape[-1] == x.shape[-2] and (torch.equal(x, x.tril()) or torch.equal(x, x.triu())):
        holes = (rows * 7 + columns * 3) % 5 == 0
        return x & (~holes | (rows % x.shape[-2] == columns))
    once = columns == rows % x.shape[-1]
    kind = rows % 4
    return torch.where(kind == 3, x, (kind == 1) | ((kind == 2) & once))


def _meeting(inputs, kept):
    """Every other element is one of a small tensor that the reference keeps, or of another input."""
    def changed(x):
        others = [item for item in (*kept, *exchange.leaves(inputs))
                  if isinstance(item, _tensor) and item is not x and item.is_floating_point()
                  and 0 < item.numel() <= _MOST_MET]
        if not others:
            return x
        met = torch.cat([item.detach().flatten().to(x.dtype) for item in others])
        places = torch.arange(x.numel()).view(x.shape)
        return torch.where(places % 2 == 1, met[places // 2 % met.numel()], x)
    return changed


# Those without _of_rows() work element by element and keep zeros, so that a symmetric or triangular
# matrix remains one.
_SHARED = {
    "own": lambda x: x,
    "changed": _of_rows(_changed_element),
    "changed_rows": _of_rows(_changed_rows),
    "centred": _centred,
    "large": lambda x: x * _LARGE,
    "tiny": lambda x: x * _TINY,
    "zeros": torch.zeros_like,
    "ties": lambda x: torch.round(x * _LEVELS) / _LEVELS,
    "constant_rows": _of_rows(_constant),
    "negative": lambda x: -x.abs(),
    "huge": lambda x: x * _HUGE,
    "sorted": _of_rows(lambda x: x.sort(-1).values),
    "one_hot": _of_rows(_one_hot),
    "outlier": _of_rows(_outlier),
}


def _is_floating(x):
    return x.is_floating_point()


def _is_integer(x):
    return not (x.is_floating_point() or x.is_complex() or x.dtype == torch.bool)


def _is_number(x):
    return _is_floating(x) or _is_integer(x)


def _is_bool(x):
    return x.dtype == torch.bool


# Powers of two of "lowest", for float16 and for others, and how many times one a number is at most.
# The squares and cubes of all numbers are far from the limit of float32, on one side or the other, so
# that a sum of them overflows in every order or in none. All are above -1e20, where kernels often start
# a maximum, and far below what is too large for a start: -1e18, and 0, FLT_MIN, -1e10.
_POWERS = ((11, 64, 4), (11, 46, 16), (11, 34, 16), (7, 17, 16))


def always(_uses):
    return True


def _may_be_wide(uses):
    """Whether large integers stay within their types."""
    return uses.numbers and not uses.multiplied


# Kind → (which inputs it changes, [(how, whether it may where the reference uses them so), the next
# where the one before is unfair]). `uses`: integer_uses.IntegerUses.
SPECIAL = {
    "lowest": (_is_floating, [(_far_off(-1, *powers), always) for powers in _POWERS]),
    "highest": (_is_floating, [(_far_off(1, *powers), always) for powers in _POWERS]),
    "minute": (_is_floating, [(_minute, always)]),
    "faint": (_is_floating, [(_faint, always)]),
    "tail": (_is_floating, [(_of_rows(_tail), always)]),
    "clustered": (_is_floating, [(_of_rows(_clustered), always)]),
    "across": (_is_floating, [(_of_rows(_across), always)]),
    "repeated": (_is_integer, [(integer_values.repeated, lambda uses: not uses.overwrites)]),
    "signed": (_is_integer, [(integer_values.wide, _may_be_wide),
                             (integer_values.signed, lambda uses: uses.numbers)]),
    "widest": (_is_integer, [
        *[(way, lambda uses: uses.compares) for way in integer_values.WIDEST_COMPARED],
        *[(way, lambda uses: uses.ordered) for way in integer_values.WIDEST]]),
    "segments": (_is_integer, [(segments.uneven(empty), lambda uses: uses.segments)
                               for empty in (True, False)]),
    "holes": (_is_number, [(masks.with_holes, lambda uses: uses.flags)]),
    "shuffled": (_is_integer, [(integer_values.shuffled, lambda uses: uses.places)]),
    "runs": (_is_integer, [(integer_values.runs, lambda uses: not uses.overwrites)]),
    "flags": (_is_bool, [(_flags, always)]),
    "meeting": (_is_floating, [(None, lambda uses: uses.meets)]),
}
# Those whose way is a function of all inputs, which returns the one that changes a tensor.
OF_ALL = {"segments"}
# Those whose result must be right by formulas that compute in float32 only, too.
FAR = {"lowest", "highest"}
# Those with the reference's numbers, and whether the dtype must hold them exactly.
POINTED = {"bounds": True, "thresholds": False}
# Kinds that decide only where check() finds nothing.
CHECKED = {*SPECIAL, "bounds"}


def _rare(inputs, kind):
    which, change = rare_values.RARE[kind]
    count = sum(isinstance(item, _tensor) and which(item) for item in exchange.leaves(inputs))
    places = iter(range(count))
    return exchange.mapped(
        lambda item: change(item, next(places), count)
        if isinstance(item, _tensor) and which(item) else item, inputs)


def _changed(inputs, which, change):
    return exchange.mapped(
        lambda item: change(item) if isinstance(item, _tensor) and which(item) and item.numel() > 1
        else item, inputs)


def _at_points(inputs, points, dtype_holds):
    """`dtype_holds`: whether to leave numbers out that the dtype rounds."""
    places = itertools.count()

    def changed(item):
        place = next(places)
        bounds = [number for number in points.bounds.get(place, [])
                  if not dtype_holds or decision_points.is_exact(number, item.dtype)]
        scale = points.scales.get(place)
        return decision_points.at_points(item, bounds, scale) if bounds or scale else item

    return exchange.mapped(changed, inputs)


def attempts(inputs, kind, kept=(), points=None):
    """[(inputs of a trial, whether it may have them)] for each way that the kind has, the best first.
    `kept`: tensors of the reference. `points`: DecisionPoints of a kind of POINTED."""
    if kind in rare_values.RARE or kind in POINTED:
        found = _at_points(inputs, points, POINTED[kind]) if kind in POINTED else _rare(inputs, kind)
        if _are_equal(found, inputs):
            raise Unfair("it changes no input")
        return [(found, always)]
    if kind not in SPECIAL:
        return [(_changed(inputs, _is_floating, _SHARED[kind]), always)]
    which, ways = SPECIAL[kind]
    if kind in OF_ALL:
        ways = [(change(list(exchange.leaves(inputs))), may) for change, may in ways]
    found = [(_changed(inputs, which, change or _meeting(inputs, kept)), may)
             for change, may in ways]
    return [(item, may) for item, may in found if not _are_equal(item, inputs)]


def _is_same(one, other):
    return one is other or (isinstance(one, _tensor) and torch.equal(one, other))


def _are_equal(first, second):
    return all(map(_is_same, exchange.leaves(first), exchange.leaves(second)))


def changed_places(first, second):
    """The places of the leaves that differ."""
    return [place for place, (one, other) in enumerate(zip(exchange.leaves(first),
                                                           exchange.leaves(second)))
            if not _is_same(one, other)]


def check(kind, outputs, oracle):
    """Raises Unfair where the result of the reference is no measure for others."""
    for place, output in enumerate(outputs):
        if kind in FAR and _is_integer(output) and output.dtype.is_signed and bool(
                (output == torch.iinfo(output.dtype).min).any()):
            raise Unfair("a number leaves the range of an integer")  # What a cast of it gives is open.
        if kind in ("flags", "shuffled") or not output.is_floating_point():
            continue
        output = output.double()
        exact = output if oracle is None else oracle[place].double()
        if not bool(output.isfinite().all() and exact.isfinite().all()):
            raise Unfair("the result is not finite")
        if float((exact - output).norm()) > float(exact.norm()) / 64:
            raise Unfair("the result is inexact")
    if kind == "minute" and not (oracle and all(
            not output.is_floating_point() and torch.equal(output, exact)
            for output, exact in zip(outputs, oracle))):
        raise Unfair("numbers of the result may underflow")


def check_range(outputs, wider):
    """Raises Unfair where the results of integers are others in a type that holds larger ones."""
    for output, exact in zip(outputs, wider, strict=True):
        output, exact = output.double(), exact.double()
        if output.shape != exact.shape or float((output - exact).abs().max()) > (
                float(exact.abs().max()) * 2.0 ** -40):
            raise Unfair("a number leaves the range of its type")
