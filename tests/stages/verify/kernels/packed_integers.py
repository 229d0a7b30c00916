import math

import torch
from number_formats import integers_of


def signed(value, bits=32):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


def unsigned(value, bits=32):
    return value & (1 << bits) - 1


def lanes(word, bits, is_signed):
    return [(signed if is_signed else unsigned)(word >> shift, bits) for shift in range(0, 32,
        bits)]


def packed(function, bits, is_signed, a, b):
    word = 0
    for k, (x, y) in enumerate(zip(lanes(a, bits, is_signed), lanes(b, bits, is_signed))):
        word |= unsigned(function(x, y), bits) << k * bits
    return signed(word)


def clamped(value, bits, is_signed):
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
    return min(max(value, low), high)


def pairs(count=60):
    numbers = integers_of(32, True)[::2]
    numbers += [signed(v) for v in (0x80007fff, 0x7f80ff01, 0x80808080, 0x7f7f7f7f, 0xff00ff00,
                                    0x01020304)]
    a = numbers[:count]
    b = [numbers[(7 * i + 3) % len(numbers)] for i in range(len(a))]
    b[:5] = a[:5]
    return a, b


def check(rows, wanted, a, b):
    assert len(rows) == len(wanted), (len(rows), len(wanted))
    for (name, function), row in zip(wanted, rows.tolist()):
        for i, got in enumerate(row):
            want = function(a[i], b[i], i)
            assert got == want, (name, hex(unsigned(a[i])), hex(unsigned(b[i])), i, got, want)


def check_two_and_four_in_a_word(m):
    a, b = pairs()

    def each(name, is_signed, function):
        return [((name, bits), lambda x, y, i, bits=bits: packed(
            lambda p, q: function(p, q, bits), bits, is_signed, x, y)) for bits in (16, 8)]

    def distance(is_signed):
        return [(("sad", bits), lambda x, y, i, bits=bits: sum(
            abs(p - q) for p, q in zip(lanes(x, bits, is_signed), lanes(y, bits, is_signed))))
            for bits in (16, 8)]
    wanted = (each("add", False, lambda p, q, n: p + q) + each("sub", False, lambda p, q, n: p - q)
              + each("addss", True, lambda p, q, n: clamped(p + q, n, True))
              + each("addus", False, lambda p, q, n: clamped(p + q, n, False))
              + each("subss", True, lambda p, q, n: clamped(p - q, n, True))
              + each("subus", False, lambda p, q, n: clamped(p - q, n, False))
              + each("absdiffs", True, lambda p, q, n: abs(p - q))
              + each("absdiffu", False, lambda p, q, n: abs(p - q))
              # Halves are rounded away from zero, as in CUDA's tables.
              + each("avgs", True, lambda p, q, n: p + q + (p + q >= 0) >> 1)
              + each("avgu", False, lambda p, q, n: p + q + 1 >> 1)
              + each("haddu", False, lambda p, q, n: p + q >> 1)
              + each("maxs", True, lambda p, q, n: max(p, q)) + each("maxu", False, lambda p, q,
                  n: max(p, q))
              + each("mins", True, lambda p, q, n: min(p, q)) + each("minu", False, lambda p, q,
                  n: min(p, q))
              + distance(True) + distance(False)
              + each("abs", True, lambda p, q, n: abs(p))
              + each("absss", True, lambda p, q, n: clamped(abs(p), n, True))
              + each("neg", True, lambda p, q, n: -p)
              + each("negss", True, lambda p, q, n: clamped(-p, n, True)))
    check(m.packed(torch.tensor(a).int(), torch.tensor(b).int(), False), wanted, a, b)


def check_comparisons_in_a_word(m):
    a, b = pairs()
    signs = [("eq", False, lambda p, q: p == q), ("ne", False, lambda p, q: p != q)]
    for name, function in (("ge", lambda p, q: p >= q), ("gt", lambda p, q: p > q),
                           ("le", lambda p, q: p <= q), ("lt", lambda p, q: p < q)):
        signs += [(name + "s", True, function), (name + "u", False, function)]
    wanted = [((name, true, bits), lambda x, y, i, f=function, s=is_signed, true=true,
               bits=bits: packed(
        lambda p, q: true if f(p, q) else 0, bits, s, x, y))
        for true in (-1, 1) for name, is_signed, function in signs for bits in (16, 8)]
    check(m.packed(torch.tensor(a).int(), torch.tensor(b).int(), True), wanted, a, b)


def select(a, b, selector):
    """The bytes that the lowest three bits of each of the selector's four digits select."""
    data, word = unsigned(b) << 32 | unsigned(a), 0
    for k in range(4):
        word |= (data >> 8 * (selector >> 4 * k & 7) & 255) << 8 * k
    return signed(word)


def dot(a, b, bits_a, bits_b, is_signed, first=0):
    x = lanes(a, bits_a, is_signed)
    y = lanes(b, bits_b, is_signed)[first:]
    return signed(sum(p * q for p, q in zip(x, y)) + 5)


def shifted(a, b, by, left):
    both = unsigned(b) << 32 | unsigned(a)
    return signed(both << by >> 32 if left else both >> by)


def check_words(m):
    a, b = pairs()
    u = unsigned
    cut = lambda v: signed(v << 8) >> 8
    wanted = [
        ("popc", lambda x, y, i: bin(u(x)).count("1")), ("clz", lambda x, y,
                                                         i: 32 - u(x).bit_length()),
        ("ffs", lambda x, y, i: (u(x) & -u(x)).bit_length()),
        ("brev", lambda x, y, i: signed(int(f"{u(x):032b}"[::-1], 2))),
        ("mul24", lambda x, y, i: signed(cut(x) * cut(y))),
        ("umul24", lambda x, y, i: signed((x & 0xffffff) * (y & 0xffffff))),
        ("mulhi", lambda x, y, i: x * y >> 32), ("umulhi", lambda x, y,
                                                 i: signed(u(x) * u(y) >> 32)),
        ("sad", lambda x, y, i: signed(abs(x - y) + 7)), ("usad", lambda x, y,
                                                          i: signed(abs(u(x) - u(y)) + 7)),
        ("hadd", lambda x, y, i: x + y >> 1), ("rhadd", lambda x, y, i: x + y + 1 >> 1),
        ("uhadd", lambda x, y, i: signed(u(x) + u(y) >> 1)),
        ("urhadd", lambda x, y, i: signed(u(x) + u(y) + 1 >> 1)),
        ("shf.l", lambda x, y, i: shifted(x, y, i % 32, True)),
        ("shf.r", lambda x, y, i: shifted(x, y, i % 32, False)),
        ("shf.lc", lambda x, y, i: shifted(x, y, min(i, 32), True)),
        ("shf.rc", lambda x, y, i: shifted(x, y, min(i, 32), False)),
        ("prmt", lambda x, y, i: select(x, y, i * 2654435761)),
        ("dp4a", lambda x, y, i: dot(x, y, 8, 8, True)), ("dp4au", lambda x, y, i: dot(x, y, 8, 8,
            False)),
        ("dp2a", lambda x, y, i: dot(x, y, 16, 8, True)), ("dp2ah", lambda x, y, i: dot(x, y, 16,
            8, True, 2)),
        ("dp2au", lambda x, y, i: dot(x, y, 16, 8, False)),
        ("dp2auh", lambda x, y, i: dot(x, y, 16, 8, False, 2)),
        ("max", lambda x, y, i: max(x, y)), ("min", lambda x, y, i: signed(min(u(x), u(y)))),
        ("umax", lambda x, y, i: signed(max(u(x), u(y)))), ("abs", lambda x, y, i: signed(abs(x))),
        ("max3", lambda x, y, i: max(x, y, 100)), ("min3", lambda x, y, i: signed(min(u(x), u(y),
            100))),
        ("addmax", lambda x, y, i: max(signed(x + y), 0)),
        ("max relu", lambda x, y, i: max(x, y, 0)), ("min relu", lambda x, y, i: max(min(x, y), 0)),
    ]
    check(m.words(torch.tensor(a).int(), torch.tensor(b).int()), wanted, a, b)


def check_wide_words(m):
    a = integers_of(64, True)[::3][:80]
    b = a[::-1]
    u = lambda v: unsigned(v, 64)
    s = lambda v: signed(v, 64)
    wanted = [
        ("popc", lambda x, y, i: bin(u(x)).count("1")), ("clz", lambda x, y,
                                                         i: 64 - u(x).bit_length()),
        ("ffs", lambda x, y, i: (u(x) & -u(x)).bit_length()),
        ("brev", lambda x, y, i: s(int(f"{u(x):064b}"[::-1], 2))),
        ("mulhi", lambda x, y, i: x * y >> 64), ("umulhi", lambda x, y, i: s(u(x) * u(y) >> 64)),
        ("max", lambda x, y, i: max(x, y)), ("min", lambda x, y, i: min(x, y)),
        ("umax", lambda x, y, i: s(max(u(x), u(y)))), ("umin", lambda x, y, i: s(min(u(x), u(y)))),
        ("abs", lambda x, y, i: s(abs(x))), ("max", lambda x, y, i: max(x, y)),
        ("min", lambda x, y, i: min(x, 3)),
    ]
    check(m.wide_words(torch.tensor(a), torch.tensor(b)), wanted, a, b)


def nth_bit(word, base, offset):
    if offset == 0:
        return base if word >> base & 1 else -1
    places = range(base, 32) if offset > 0 else range(base, -1, -1)
    found = [at for at in places if word >> at & 1]
    return found[abs(offset) - 1] if len(found) >= abs(offset) else -1


def check_nth_set_bit(m):
    words, _ = pairs()
    rows = m.nth_bits(torch.tensor(words).int()).tolist()
    for k, row in enumerate(rows):
        assert row == [nth_bit(unsigned(w), 16, k - 4) for w in words], k
