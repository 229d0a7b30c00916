import math

import torch

ALL = 0xffffffff
EDGES = [0, 1, -1, 5, -7, 2 ** 31 - 1, -2 ** 31, 0x12345678, -0x789abcde + 0x80000000 - 2 ** 31]


def signed(x, bits=32):
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


def clamp(x, low, high):
    return max(low, min(high, x))


def prmt(a, b, c):
    both = (b & ALL) << 32 | (a & ALL)
    result = 0
    for i in range(4):
        nibble = c >> 4 * i & 15
        byte = both >> 8 * (nibble & 7) & 255
        if nibble & 8:
            byte = 255 if byte >> 7 else 0
        result |= byte << 8 * i
    return result


def bfe(a, b, c, is_signed):
    position, length = b & 255, c & 255
    wide = a if is_signed else a & ALL  # Python's integers extend by their sign.
    if length == 0:
        return 0
    value = wide >> position
    length = min(length, 32)
    if is_signed:
        top = wide >> min(position + length - 1, 31) & 1
        value &= (1 << length) - 1
        if length < 32 and top:
            value |= ALL & ~((1 << length) - 1)
        return value
    return value & ((1 << length) - 1)


def bfi(a, b, position, length):
    mask = (((1 << length) - 1) << position) & ALL
    return (b & ~mask) | ((a << position) & mask)


def dp4a(a, b, c):
    return c + sum(signed(a >> 8 * i, 8) * signed(b >> 8 * i, 8) for i in range(4))


def bfind(a):
    value = ~a if a < 0 else a
    return value.bit_length() - 1 if value else -1


def expected_integers(a, b, c):
    u, v = a & ALL, b & ALL
    count = bin(u).count("1") + (32 - u.bit_length())
    return [
        a + b, u - v, a * b, a * b >> 32, u * v >> 32, min(a, b), max(u, v), a & b, a | b, a ^ b,
        u << v if v < 32 else 0, a >> min(v, 31), u >> v if v < 32 else 0,
        clamp(a + b, -2 ** 31, 2 ** 31 - 1), a * b + c, prmt(a, b, c), bfe(a, b, c, True),
        bfe(a, b, c, False), (v << 32 | u) << (c & 31) >> 32, (v << 32 | u) >> min(c & ALL, 32),
        dp4a(a, b, c), a ^ b ^ c, bfi(u, v, c & 31, 5), count, int(f"{u:032b}"[::-1], 2),
        7 if a < b else b, a * b >> 32, (a * b & ALL) ^ (a * b >> 32 & ALL),
        (b & 0xffff) << 16 | (a & 0xffff), c + 41, bfind(a), clamp(a, 0, 255)]


def check_integers(m):
    torch.manual_seed(3)
    drawn = torch.randint(-2 ** 31, 2 ** 31, (3, 40))
    rows = [EDGES + row for row in drawn.tolist()]
    rows[1] = rows[1][9:30] + [0, 1, 31, 32, 33, 255, 7] + rows[1][30:]
    rows[2] = [x & 0xfff for x in rows[2]]
    n = min(len(row) for row in rows)
    a, b, c = (torch.tensor(row[:n]).int() for row in rows)
    y = m.integers(a, b, c).tolist()
    for i in range(n):
        wanted = expected_integers(a[i].item(), b[i].item(), c[i].item())
        for row, value in enumerate(wanted):
            # With sat, and with wide, Python's shift of a negative number is that of PTX.
            assert y[row][i] == signed(value), (row, a[i].item(), b[i].item(), c[i].item())


def rounded(exact, up):
    """The float nearest to a float64 from below or above, or towards zero for None."""
    near = exact.float()
    lower = torch.where(near.double() > exact, torch.nextafter(near, torch.tensor(-math.inf)), near)
    upper = torch.where(near.double() < exact, torch.nextafter(near, torch.tensor(math.inf)), near)
    return upper if up else torch.where(exact >= 0, lower, upper)


def tf32(x):
    bits = (x.view(torch.int32) + 0x1000) & ~0x1fff
    return bits.view(torch.float32)


def check_floats(m):
    a = torch.cat([torch.randn(60) * 3, torch.tensor([0.5, -0.5, 1.5, 2.5])])
    b, c = torch.randn(64) * 2, torch.rand(64) + 0.1
    y = m.floats(a, b, c)
    da, db = a.double(), b.double()
    exact = {
        0: a + b, 1: a - b, 2: a * b, 3: (da * db + c.double()).float(), 4: a / b,
        5: torch.minimum(a, b), 6: torch.maximum(a, b), 7: -a, 8: a.abs(),
        9: c.double().sqrt().float(), 10: 1 / a, 17: (a + b).clamp(0, 1),
        18: rounded(da + db, False), 19: rounded(da + db, True), 20: a * 1.5, 21: a * 2.5,
        22: a.round(), 23: a.floor(), 24: torch.where(a > b, a, b), 25: tf32(a), 26: a.trunc(),
        27: a.half().float(), 28: a.bfloat16().float(), 29: (da * da).float(),
        30: torch.copysign(b, a), 31: torch.maximum(a, b)}
    for row, wanted in exact.items():
        assert torch.equal(y[row], wanted), (row, y[row] - wanted)
    for row, wanted, bound in [
            (11, torch.exp2(da), 2e-7), (12, torch.log2(c.double()), 3e-7),
            (13, c.double().rsqrt(), 3e-7), (14, torch.tanh(da), 2 ** -10.9)]:
        assert torch.allclose(y[row].double(), wanted, rtol=bound, atol=3e-7), row
    for row, wanted in [(15, torch.sin(da)), (16, torch.cos(da))]:
        assert torch.allclose(y[row].double(), wanted, rtol=0, atol=3e-6), row


def check_special_numbers(m):
    nan, inf, tiny = math.nan, math.inf, 1e-40
    a = torch.tensor([nan, 1.0, nan, 0.0, -0.0, inf, tiny, 3e9, -0.0])
    b = torch.tensor([1.0, nan, nan, -0.0, 0.0, -inf, 1.0, 1.0, 2.0])
    y = m.floats(a, b, torch.ones(9))
    assert y[5][:2].tolist() == [1.0, 1.0] and y[6][:2].tolist() == [1.0, 1.0]
    assert torch.signbit(y[5][3:5]).all() and not torch.signbit(y[6][3:5]).any()
    assert y[31][:3].isnan().all() and y[5][2].isnan()
    assert y[17][0] == 0.0                      # A sum that is NaN saturates to 0,
    assert y[2][6] == 0.0 and y[0][6] == 1.0    # ftz drops numbers that are not normal,
    assert y[26][7] == 2.0 ** 31 and y[26][0] == 0.0  # and conversions to integers saturate.


def check_pairs(m):
    a, b = torch.randn(64) * 4, torch.randn(64) * 4
    y = m.pairs(a, b)
    halves = torch.stack([b.half(), a.half()], 1)
    brains = torch.stack([b.bfloat16(), a.bfloat16()], 1)

    def bits(pair):
        return pair.contiguous().view(torch.int32).view(-1)
    assert torch.equal(y[0], bits(halves))
    assert torch.equal(y[1], bits(brains))
    assert torch.equal(y[2], bits(halves + halves))
    x = brains.double()
    assert torch.equal(y[3], bits((x * x + x).bfloat16()))
    assert torch.equal(y[4], bits(torch.stack([-halves[:, 0], halves[:, 1]], 1)))
    assert torch.equal(y[5], bits(halves.clamp(min=0)))


def check_threads(m):
    blocks, n = 3, 192
    y = m.threads(blocks).tolist()
    for i in range(n):
        lane = i % 32
        first = i - lane
        wanted = [lane, i % 64, i // 64, 64, (1 << lane) - 1, y[5][first], i ^ 1,
                  i - 3 if lane >= 3 else -1, 0xf0f0f0f0,
                  sum(range(first, first + 32)), i + 6]
        assert 0 <= y[5][first] < 64  # %warpid is where the warp lies on the multiprocessor.
        got = [y[row][i] for row in range(11)]
        assert got == [signed(x) for x in wanted], (i, got, wanted)
