from fractions import Fraction
import math

import torch
from number_formats import (BFLOAT16, DOUBLE, FLOAT, HALF, MODES, bits_of, expect, integer,
                            integers_of, interesting, rounded)


def wrapped(value, bits, signed):
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> bits - 1 else value


def inputs():
    x = interesting()
    more = [0.1, 1 + 2**-24, 1 + 2**-24 + 2**-50, 1e-50, 1e300, -1e300, 2049 + 2**-40, 65519.99999]
    d = torch.cat([torch.tensor(more, dtype=torch.float64, device="cpu"),
                   x.double()[len(more):] * 1.0000001])
    return x, d


def to_integers(values, wide_source):
    return {(bits, signed, mode): [wrapped(integer(v, mode, bits, signed, wide_source), 64, True)
                                   for v in values]
            for bits in (32, 64) for signed in (True, False) for mode in MODES}


def rows_of(device, *tensors):
    return [tensor.to(device) for tensor in tensors]


def check_floats_to_integers(m):
    x, d = inputs()
    device = torch.empty(0).device
    a, b, _, _ = m.floats(*rows_of(device, x, d, torch.zeros(4, dtype=torch.int64)))
    expect(a, to_integers(x.tolist(), False), "float")
    expect(b, to_integers(d.tolist(), True), "double")


def check_doubles_to_floats(m):
    x, d = inputs()
    device = torch.empty(0).device
    _, _, c, _ = m.floats(*rows_of(device, x, d, torch.zeros(4, dtype=torch.int64)))
    expect(c, {mode: [rounded(v, FLOAT, mode) for v in d.tolist()] for mode in MODES})


def check_integers_to_floats(m):
    x, d = inputs()
    device = torch.empty(0).device
    numbers = integers_of(64, True) + integers_of(32, True)
    _, _, _, e = m.floats(*rows_of(device, x, d, torch.tensor(numbers)))
    wanted = {}
    for name, bits, signed, form in (("int", 32, True, FLOAT), ("uint", 32, False, FLOAT),
                                     ("ll", 64, True, FLOAT), ("ull", 64, False, FLOAT),
                                     ("ll", 64, True, DOUBLE), ("ull", 64, False, DOUBLE)):
        for mode in MODES:
            wanted[name, form, mode] = [rounded(Fraction(wrapped(v, bits, signed)), form, mode)
                                        for v in numbers]
    wanted["int2double"] = [float(wrapped(v, 32, True)) for v in numbers]
    wanted["uint2double"] = [float(wrapped(v, 32, False)) for v in numbers]
    expect(e, wanted)


def check_numbers_of_16_bits(m):
    x, d = inputs()
    device = torch.empty(0).device
    numbers = (integers_of(64, True)[::3] + integers_of(32, True)[::2] + integers_of(16,
        True))[:len(x)]
    for brain, form in ((False, HALF), (True, BFLOAT16)):
        to, back = m.halves(*rows_of(device, x, d, torch.tensor(numbers)), brain)
        wanted = {"float": [rounded(v, form) for v in x.tolist()],
                  "double": [rounded(v, form) for v in d.tolist()]}
        for mode in MODES:
            wanted["float", mode] = [rounded(v, form, mode) for v in x.tolist()]
        for bits, signed in ((32, True), (32, False), (16, True), (16, False), (64, True),
                             (64, False)):
            for mode in MODES:
                wanted[bits, signed, mode] = [
                    rounded(Fraction(wrapped(v, bits, signed)), form, mode) for v in numbers]
        expect(to, wanted, form)

        values = [rounded(v, form) for v in x.tolist()]
        wanted = {}
        for bits in (32, 16, 64):
            for signed in (True, False):
                for mode in MODES:
                    wanted[bits, signed, mode] = [
                        wrapped(integer(v, mode, bits, signed), 64, True) for v in values]
        wanted["char"] = [integer(v, "rz", 8, True) for v in values]
        wanted["uchar"] = [integer(v, "rz", 8, False) for v in values]
        pattern = torch.tensor(values, device="cpu").to(torch.bfloat16 if brain else torch.float16)
        signed = pattern.view(torch.int16).tolist()
        where_nan = [math.isnan(v) for v in values]
        for name, bits in (("ushort", [v & 0xffff for v in signed]), ("short", signed),
                           ("twice", [v & 0xffff for v in signed])):
            row = back[len(wanted)].tolist()
            # NaN has many bit patterns.
            wanted[name] = [g if nan else w for g, w, nan in zip(row, bits, where_nan)]
        expect(back, wanted, form)


def check_bits(m):
    x, d = inputs()
    x, d = x[~x.isnan()], d[~d.isnan()][:int((~x.isnan()).sum())]
    x = x[:len(d)]
    device = torch.empty(0).device
    floats = [bits_of(v, "f") for v in x.tolist()]
    doubles = [bits_of(v, "d") for v in d.tolist()]
    signed = [wrapped(v, 32, True) for v in floats]
    wide = [wrapped(v, 64, True) for v in doubles]
    wanted = {"int": signed, "uint": floats, "int twice": signed, "uint twice": floats,
              "longlong": wide, "longlong twice": wide,
              "high": [v >> 32 for v in wide], "low": [v & 0xffffffff for v in wide], "both": wide}
    expect(m.bits(*rows_of(device, x, d)), wanted)


def check_casts(m):
    x, d = inputs()
    # What a device computes for NaN depends on the types, so NaN is left out.
    numbers = ~(x.isnan() | d.isnan())
    x, d = x[numbers], d[numbers]
    device = torch.empty(0).device
    wanted = {}
    for name, values in (("float", x.tolist()), ("double", d.tolist())):
        for bits in (32, 64):
            for signed in (True, False):
                wanted[name, bits, signed] = [
                    wrapped(integer(v, "rz", bits, signed, name == "double"), 64,
                            True) for v in values]
    got = m.casts(*rows_of(device, x, d))
    for bits in (16, 8):
        for signed in (True, False):
            # Out of range, a device truncates the result of a wider conversion; this executor does
            # not.
            row = got[len(wanted)].tolist()
            low, high = (-(1 << bits - 1), 1 << bits - 1) if signed else (-1, 1 << bits)
            wanted["float", bits, signed] = [
                int(v) if low <= v < high else g for v, g in zip(x.tolist(), row)]
    wanted["bool"] = [int(v != 0) for v in x.tolist()]
    expect(got, wanted)


def exact(operation, *values):
    """The exact result, for finite numbers other than zero."""
    return operation(*[Fraction(v) for v in values])


def square_root(value, form, mode):
    """Rounds the root from 200 binary digits and a sticky bit."""
    value = Fraction(value)
    scaled = value * Fraction(4) ** 600
    whole = scaled.numerator // scaled.denominator
    root = math.isqrt(whole)
    rest = Fraction(0) if root * root == scaled else Fraction(1, 3)
    return rounded((root + rest) / Fraction(2) ** 600, form, mode)


def check_arithmetic_in_every_rounding(m):
    device = torch.empty(0).device
    x = interesting(3)
    x = x[x.isfinite() & (x != 0) & (x.abs() > 1e-30) & (x.abs() < 1e18)]
    a, b = x, x.flip(0) * 1.37
    c, d = a.double() * (1 + 2.0**-40), b.double() / 3
    y, z = m.arithmetic(*rows_of(device, a, b, c, d))
    for form, got, left, right, tenth in ((FLOAT, y, a, b, torch.tensor(0.1).item()), (DOUBLE, z,
        c, d, 0.1)):
        wanted = {}
        pairs = list(zip(left.tolist(), right.tolist()))
        for mode in MODES:
            for name, operation in (("add", lambda v, w: v + w), ("sub", lambda v, w: v - w),
                                    ("mul", lambda v, w: v * w), ("div", lambda v, w: v / w),
                                    ("fma", lambda v, w: v * w + Fraction(tenth)),
                                    ("rcp", lambda v, w: 1 / w)):
                wanted[name, mode] = [rounded(exact(operation, v, w), form, mode) for v, w in pairs]
            wanted["sqrt", mode] = [square_root(abs(v), form, mode) for v, _ in pairs]
        expect(got, wanted, form)
