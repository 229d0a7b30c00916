"""Binary number formats in exact arithmetic, to compute correctly rounded results."""

from fractions import Fraction
import math
import struct

import torch

# Precision in bits, exponent of the smallest normal number, largest exponent.
FLOAT = (24, -126, 127)
DOUBLE = (53, -1022, 1023)
HALF = (11, -14, 15)
BFLOAT16 = (8, -126, 127)
MODES = ("rn", "rz", "rd", "ru")


def towards(value, mode):
    """Rounds a Fraction to an integer."""
    low = math.floor(value)
    rest = value - low
    if mode == "rn":
        up = rest > Fraction(1, 2) or (rest == Fraction(1, 2) and low % 2 == 1)
    else:
        up = rest != 0 and (mode == "ru" or (mode == "rz" and value < 0))
    return low + 1 if up else low


def rounded(value, form, mode="rn"):
    """Rounds a Fraction (or a float that is infinite or NaN) to a float of the format."""
    digits, lowest, highest = form
    if not isinstance(value, Fraction):
        if value == 0 or math.isnan(value) or math.isinf(value):
            return value
        value = Fraction(value)
    if value == 0:
        return 0.0
    magnitude = abs(value)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if Fraction(2) ** exponent > magnitude:
        exponent -= 1
    unit = Fraction(2) ** (max(exponent, lowest) - digits + 1)
    result = towards(value / unit, mode) * unit
    if abs(result) >= Fraction(2) ** (highest + 1):
        largest = (2 - Fraction(2) ** (1 - digits)) * Fraction(2) ** highest
        inward = mode == "rz" or (mode == "ru" and value < 0) or (mode == "rd" and value > 0)
        return math.copysign(float(largest) if inward else math.inf, value)
    return math.copysign(float(result), value)


def integer(value, mode, bits, signed, wide_source=False):
    """Converts a float to an integer as a device does: out of range, to the nearest one."""
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    if math.isnan(value):
        if bits < 64 and not wide_source:
            return 0
        return low if signed else 1 << bits - 1
    if math.isinf(value):
        return high if value > 0 else low
    return min(max(towards(Fraction(value), mode), low), high)


def same(got, wanted):
    """Whether two floats are the same number; NaN equals NaN."""
    return got == wanted or (math.isnan(got) and math.isnan(wanted))


def expect(rows, wanted, what=""):
    """Compares rows of results with lists of expected numbers."""
    for name, got, want in zip(wanted.keys(), rows.tolist(), wanted.values()):
        for i, (g, w) in enumerate(zip(got, want)):
            assert same(g, w), (what, name, i, g, w)
    assert len(rows) == len(wanted), (len(rows), len(wanted))


def interesting(seed=0):
    """Floats for which rounding modes differ: halves, ends of ranges, tiny numbers, infinities and
    NaN."""
    numbers = [0.0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 1e-45, -1e-40, 65504.0, 65519.9, 65520.0,
               -65536.0,
               2.0**31, -2.0**31, 2.0**32, 2.0**63, -2.0**63, 2.0**64, 3e38, -3e38, math.inf,
               -math.inf, math.nan, 0.1, -0.1, 127.5, 255.5, -128.5, 32767.5, 65535.5,
               2.0**24 - 0.5]
    generator = torch.Generator("cpu").manual_seed(seed)
    more = torch.randn(32, generator=generator, device="cpu")
    scale = 10.0 ** torch.randint(-6, 10, (32,), generator=generator, device="cpu").float()
    return torch.cat([torch.tensor(numbers, dtype=torch.float32, device="cpu"), more * scale])


def integers_of(bits, signed, seed=0):
    """Integers of a width: the ends, powers of two and their neighbours, and random ones."""
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    numbers = {low, high, 0, 1, low + 1, high - 1}
    for k in range(1, bits):
        numbers |= {(1 << k) - 1, 1 << k, (1 << k) + 1}
    state = seed + 12345
    for _ in range(40):
        state = state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
        numbers.add((state >> 64 - bits) + low)
    return sorted(n for n in numbers if low <= n <= high)


def bits_of(value, layout):
    """The float's bits as an unsigned integer; `layout` is "f" or "d"."""
    return int.from_bytes(struct.pack("<" + layout, value), "little")
