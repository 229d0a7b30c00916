import math

import torch


def agree(got, wanted, relative, absolute=0.0):
    assert len(got) == len(wanted)
    for row, (g, w) in enumerate(zip(got.double(), wanted)):
        w = w.double()
        bad = (g - w).abs() > relative * w.abs() + absolute
        bad &= ~(g == w)
        assert not bad.any() and torch.equal(g.isnan(), w.isnan()), (row, g[bad], w[bad])


def numbers(dtype):
    x = torch.linspace(-4, 4, 101, dtype=torch.float64)
    x[50] = 0.0
    return torch.cat([x, torch.tensor([0.5, 1.5, -2.5, 1e-6, -1e-6, 6.0])]).to(dtype)


def check_common_functions_of_both_precisions(m):
    for dtype, relative in ((torch.float32, 2e-6), (torch.float64, 1e-13)):
        x = numbers(dtype)
        v = x.double()
        a = (x.abs() + 0.25).double()
        u = (x / (x.abs() + 1)).double()
        one = torch.tensor(0.7, dtype=dtype).double()
        half_way = torch.where(v.abs() % 1 == 0.5, v.sign() * (v.abs() + 0.5), v.round())
        wanted = [v.exp(), v.exp2(), v.expm1(), a.log(), a.log2(), a.log10(), a.log1p(), a.sqrt(),
                  a.rsqrt(),
                  v.sign() * v.abs() ** (1 / 3), a ** (-1 / 3), v.sin(), v.cos(), v.tan(),
                  u.asin(), u.acos(),
                  v.atan(), v.sinh(), v.cosh(), v.tanh(), v.asinh(),
                  (x.abs() + 0.25 + 1).double().acosh(),
                  u.atanh(), v.erf(), v.erfc(), a.lgamma().exp(), a.lgamma(), a**v,
                  torch.atan2(v, a),
                  torch.hypot(v, a), torch.fmod(v, one), v.floor(), v.ceil(), v.trunc(), half_way,
                  v.round(), v.abs(),
                  torch.copysign(a, v), (v - 0.5).clamp(min=0), v * a + u, torch.maximum(v, u),
                  torch.minimum(v, u), v - one * (v / one).round(), v * 8, 10**u,
                  (math.pi * torch.remainder(v, 2)).sin(), (math.pi * torch.remainder(v, 2)).cos()]
        agree(m.common(x), wanted, 20 * relative, relative)


def check_special_functions(m):
    x = numbers(torch.float32)
    v, u = x.double(), (x / (x.abs() + 1)).double()
    p = (0.5 * ((x / (x.abs() + 1)) + 1)).double()
    special = torch.special
    cpu = lambda f, t: f(t.cpu()).to(t.device)
    three = (v * v + u * u + p * p).sqrt()
    wanted = [special.erfinv(u), -special.ndtri(p) / math.sqrt(2), special.ndtr(v),
              special.ndtri(p),
              special.erfcx(v.abs()), special.i0(v), special.i1(v), cpu(special.bessel_j0, v),
              cpu(special.bessel_j1, v), cpu(special.bessel_y0, v.abs() + 0.5),
              (v * v + u * u + 1).sqrt(),
              (v * v + u * u + 5).sqrt(), (v * v + u * u + 1).rsqrt(), (v * v + 4).rsqrt(),
              (math.pi * torch.remainder(v, 2)).sin(), (math.pi * torch.remainder(v, 2)).cos(),
              three,
              1 / three, torch.ones_like(v), special.erfinv(u), special.ndtri(p)]
    agree(m.special(x), wanted, 2e-5, 2e-6)


def check_fast_functions(m):
    x = numbers(torch.float32)
    v, a = x.double(), x.double().abs() + 0.25
    wanted = [v.exp(), 10 ** (v * 0.3), a.log(), a.log2(), a.log10(), v.sin(), v.cos(),
              (v * 0.3).tan(),
              a**0.7, v / a, v.clamp(0, 1), a.rsqrt(), v * a, a.rsqrt(), v / a, v.sin(), v.cos(),
              v.sin(),
              v.cos()]
    agree(m.fast(x), wanted, 2e-5, 2e-6)


def check_errors_of_fast_functions(m):
    near = torch.linspace(-3.1, 3.1, 1000)
    exponential, logarithm, sine, cosine = m.fast_limits(near)[:4].double()
    v = near.double()
    assert ((exponential / v.exp() - 1).abs() < (3 + 1.173 * v.abs()) * 2.0 ** -23).all()
    assert ((logarithm - v.abs().log()).abs() < 2.0 ** -21.4).all()
    assert ((sine - v.sin()).abs() < 2.0 ** -21.4).all()
    assert ((cosine - v.cos()).abs() < 2.0 ** -21.1).all()
    # Most of the error of a large angle is that of the angle in turns.
    far = torch.linspace(1000, 4000, 1000)
    wrong = (m.fast_limits(far)[2].double() - far.double().sin()).abs()
    assert 1e-4 < wrong.max() < 4e-3, wrong.max()


def check_fast_functions_have_other_limits(m):
    x = torch.tensor([-2.0, 0.0, 2.0, 2.0 ** 126, 1.5 * 2.0 ** 126, -2.0 ** 127])
    cube, one, quotient, infinite = m.fast_limits(x)[4:]
    assert cube[0].isnan() and cube[1] == 0 and abs(cube[2] - 8) < 1e-5
    assert one[0].isnan() and one[1].isnan() and one[2] == 1
    assert quotient.tolist() == [-0.5, math.inf, 0.5, 2.0 ** -126, 0, 0]
    assert infinite[:4].tolist() == [-math.inf, math.inf, math.inf, math.inf]
    assert infinite[4:].isnan().all()


def check_numbers_that_are_none(m):
    special = [0.0, -0.0, 1.0, -2.5, math.inf, -math.inf, math.nan, 1e-40, 200.0]
    a = [p for p in special for _ in special]
    b = [q for _ in special for q in special]

    def pick(x, z, f):
        return z if math.isnan(x) else x if math.isnan(z) else f(x, z)

    def fmod(x, z):
        return math.nan if math.isinf(x) or z == 0 or math.isnan(x + z) else math.fmod(x, z)
    tiny = torch.tensor(1e-40, dtype=torch.float32).item()
    a = [tiny if v == 1e-40 else v for v in a]
    b = [tiny if v == 1e-40 else v for v in b]
    rows = []
    for x, z in zip(a, b):
        nan = math.isnan(x)
        limited = pick(pick(x, -100.0, max), 100.0, min)
        rows.append([pick(x, z, max), pick(x, z, min), pick(x, z, max), pick(x, z, min),
                     0.0 if nan else min(max(x, 0.0), 1.0), nan, math.isinf(x), math.isfinite(x),
                     None if nan else math.copysign(1, x) < 0, x == z, x < z, not x >= z,
                     x if x > z else z, abs(x),
                     math.nan if nan or x < 0 else math.sqrt(x), fmod(x, z),
                     None if nan else math.copysign(1, x),
                     x == math.inf, True, math.nan,
                     math.nan if nan else math.copysign(math.inf, x) if abs(x) < 1e-38 else 1 / x,
                     float(int(limited))])
    got = m.unusual(torch.tensor(a), torch.tensor(b)).tolist()
    for i, wanted in enumerate(rows):
        for row, want in enumerate(wanted):
            value = got[row][i]
            if want is None:  # None: the sign of a NaN is not checked.
                continue
            if isinstance(want, bool):
                assert bool(value) == want, (row, a[i], b[i], value)
            else:
                same = value == want or (math.isnan(value) and math.isnan(want))
                assert same or abs(value - want) <= 1e-6 * abs(want), (row, a[i], b[i], value, want)


def check_numbers_taken_apart(m):
    v = [0.75, 1.0, 5.25, -3.5, 100.625, -0.3, 7.5, 2.5]
    x = torch.tensor(v)
    v = x.tolist()
    near = x.cpu().numpy()
    wanted = []
    for e in v:
        mantissa, exponent = math.frexp(e)
        fraction, whole = math.modf(e)
        quotient = round(e / 3)
        away = math.copysign(math.floor(abs(e) + 0.5), e)
        wanted.append([mantissa, exponent, fraction, whole, math.remainder(e, 3.0),
                       (abs(quotient) if e > 0 else -abs(quotient)) & 7, exponent - 1,
                       exponent - 1, None, e * 16,
                       round(e), away, float(int(e)), round(e), e / 4, abs(int(e))])
    got = m.parts(x)
    assert torch.equal(got[8], torch.nextafter(x, torch.full_like(x, 10.0))), near
    for i, column in enumerate(wanted):
        for row, want in enumerate(column):
            if want is not None:
                assert abs(got[row][i].item() - want) < 1e-6, (row, v[i], got[row][i], want)


def check_types_that_mix(m):
    v = [-7, 0, 4, 9, 1000]
    wanted = [[max(e, 3), min(e, 7), max(e & 0xffffffff, 5), min(e, 2.5), max(e, 1.5), max(e, 4),
               min(abs(e), 9),
               abs(e), abs(e), abs(e), abs(e), 8, e * e, int(e / 3), int(math.fmod(e, 3)), e >> 1,
               (e & 0xffffffff) >> 28, e & 255, ((e * 70000 + 32768) & 0xffff) - 32768, 4,
               max(e, 2.5)] for e in v]
    assert m.mixed(torch.tensor(v).int()).t().tolist() == wanted


def check_single_precision_is_as_exact_as_a_devices(m):
    x = torch.linspace(-4, 4, 1024)
    rows = m.common(x)
    for row, exact in ((0, x.double().exp()), (19, x.double().tanh())):
        nearest = exact.float()
        units = [(torch.nextafter(nearest, torch.tensor(end)) - nearest).abs()
                 for end in (-math.inf, math.inf)]
        away = (rows[row] - nearest).abs()
        assert (away <= torch.maximum(*units)).all(), row
        assert 0.1 < (away > 0).float().mean() < 0.4, (row, (away > 0).float().mean())
