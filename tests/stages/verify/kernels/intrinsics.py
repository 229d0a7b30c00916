import math

import torch
import torch.nn.functional as F


def check_floats(m):
    x = torch.cat([torch.randn(100), torch.tensor([0.0, -3.0, 5.5])])
    a = x.abs() + 0.5
    wanted = [x.exp(), a.log(), a.rsqrt(), x / a, x * a + 1, x.clamp(0, 1), a.pow(1.5), x.erf(),
              x.tanh(), x, 1 / a, F.softplus(x), torch.special.ndtr(x),
              x.clamp(min=0.25) + x.clamp(max=1), torch.ones_like(x),
              torch.copysign(torch.tensor(math.pi), x)]
    for row, (got, want) in enumerate(zip(m.floats(x), wanted)):
        assert torch.allclose(got, want, atol=1e-6, rtol=1e-5), (row, got - want)


def check_roundings(m):
    x = torch.tensor([0.5, 1.5, 2.5, -0.5, -1.5, 2.4999, 1e20, -1e20, math.nan])
    y = m.roundings(x).tolist()
    top, bottom = 2**31 - 1, -2**31
    assert y[0] == [0, 2, 2, 0, -2, 2, top, bottom, 0]
    assert y[1] == [0, 1, 2, 0, -1, 2, top, bottom, 0]
    assert y[2] == [0, 1, 2, -1, -2, 2, top, bottom, 0]
    assert y[3] == [1, 2, 3, 0, -1, 3, top, bottom, 0]
    assert y[4][:3] == [1, 1, 1]
    assert y[5] == [1] * 9


def signed(value):
    value &= 0xffffffff
    return value - (1 << 32) if value >> 31 else value


def check_bits(m):
    v = [1, 2, 0x12345678, -1, 0x7fffffff, 1000, -1000]
    y = m.bits(torch.tensor(v).int()).tolist()
    u = [e & 0xffffffff for e in v]
    assert y[0] == [bin(e).count("1") for e in u]
    assert y[1] == [32 - e.bit_length() for e in u]
    assert y[2] == [(e & -e).bit_length() for e in u]
    assert y[3] == [signed(int(f"{e:032b}"[::-1], 2)) for e in u]
    assert y[4] == [signed((e * e) >> 32) for e in v]
    assert y[5] == [signed((e * e) >> 32) for e in u]
    # Selector 0x0415 takes bytes 5, 1, 4, 0 of the eight, lowest first; the upper four are 4, 3, 2,
    # 1.
    assert y[6] == [signed(3 | (e >> 8 & 255) << 8 | 4 << 16 | (e & 255) << 24) for e in u]
    assert y[7] == [signed(e >> 28) for e in u]
    byte = lambda e, i: ((e >> 8 * i & 255) ^ 128) - 128
    assert y[8] == [sum(byte(e, i) for i in range(4)) + 7 for e in u]
    assert y[9] == [signed((((e & 0xffffff) ^ 0x800000) - 0x800000) * 3) for e in u]
    assert y[10] == [signed(abs(e - 100) + 1) for e in v]
    assert y[11] == [bin(e).count("1") + 1 for e in u]


def check_vectors(m):
    x = torch.randn(64)
    y, sizes = m.vectors(x)
    i = torch.arange(32)
    wanted = x[0::2] + x[1::2] + 4 * i + 3 * i + i + 255
    assert torch.allclose(y, wanted)
    assert sizes.tolist() == [8, 8, 12, 4, 16, 16, 32, 16, 4, 4, 4, 16, 12]
