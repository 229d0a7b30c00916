from fractions import Fraction
import math

import torch
from number_formats import BFLOAT16, HALF, expect, rounded, same

NAN = math.nan


def inputs(count=64):
    generator = torch.Generator("cpu").manual_seed(11)
    special = [0.0, 1.0, -1.0, math.inf, -math.inf, NAN, 0.5, 2.0, 60000.0, 1e-7]
    x = torch.randn(count, generator=generator, device="cpu") * 2
    z = torch.randn(count, generator=generator, device="cpu") * 2
    x[:10] = torch.tensor(special, device="cpu")
    z[:10] = torch.tensor(special[3:] + special[:3], device="cpu")
    z[10:14] = x[10:14]
    return x, z


def saturated(value):
    return 0.0 if math.isnan(value) else min(max(value, 0.0), 1.0)


def on(form, operation, *values):
    """The operation on numbers of the format: computed exactly and rounded once."""
    values = [rounded(v, form) for v in values]
    if all(math.isfinite(v) for v in values):
        try:
            return rounded(operation(*[Fraction(v) for v in values]), form)
        except ZeroDivisionError:
            top, bottom = values
            return NAN if top == 0 else math.copysign(math.inf, top) * math.copysign(1, bottom)
    tensors = [torch.tensor(v, dtype=torch.float64, device="cpu") for v in values]
    return operation(*tensors).item()


def fused(form, operation, *values):
    result = on(form, lambda x, z, c: x * z + c, *values)
    return operation(result)


def larger(x, z):
    return z if math.isnan(x) else x if math.isnan(z) else max(x, z)


def smaller(x, z):
    return z if math.isnan(x) else x if math.isnan(z) else min(x, z)


def both(m, function):
    x, z = inputs()
    device = torch.empty(0).device
    for brain, form in ((False, HALF), (True, BFLOAT16)):
        a, b = ([rounded(v, form) for v in side.tolist()] for side in (x, z))
        function(x.to(device), z.to(device), brain, form, a, b)


def check_arithmetic(m):
    def one(x, z, brain, form, a, b):
        c = rounded(torch.tensor(0.3, device="cpu").item(), form)
        add = [on(form, lambda p, q: p + q, p, q) for p, q in zip(a, b)]
        sub = [on(form, lambda p, q: p - q, p, q) for p, q in zip(a, b)]
        mul = [on(form, lambda p, q: p * q, p, q) for p, q in zip(a, b)]
        fma = [on(form, lambda p, q, r: p * q + r, p, q, c) for p, q in zip(a, b)]
        nan = [math.isnan(p) or math.isnan(q) for p, q in zip(a, b)]
        expect(m.run(x, z, brain, 0), {
            "add": add, "sub": sub, "mul": mul,
            "div": [on(form, lambda p, q: p / q, p, q) for p, q in zip(a, b)],
            "add rn": add, "sub rn": sub, "mul rn": mul,
            "add sat": [saturated(v) for v in add], "sub sat": [saturated(v) for v in sub],
            "mul sat": [saturated(v) for v in mul],
            "fma": fma, "fma sat": [saturated(v) for v in fma],
            "fma relu": [v if math.isnan(v) else max(v, 0.0) for v in fma],
            "neg": [-v for v in a], "abs": [abs(v) for v in a],
            "max": [larger(p, q) for p, q in zip(a, b)], "min": [smaller(p, q) for p,
                q in zip(a, b)],
            "max nan": [NAN if n else max(p, q) for p, q, n in zip(a, b, nan)],
            "min nan": [NAN if n else min(p, q) for p, q, n in zip(a, b, nan)]}, form)
    both(m, one)


def check_comparisons(m):
    def one(x, z, brain, form, a, b):
        wanted = {}
        for unordered in (False, True):
            for name, f in (("eq", lambda p, q: p == q), ("ne", lambda p, q: p != q),
                            ("lt", lambda p, q: p < q), ("le", lambda p, q: p <= q),
                            ("gt", lambda p, q: p > q), ("ge", lambda p, q: p >= q)):
                wanted[name, unordered] = [
                    float(unordered if math.isnan(p) or math.isnan(q) else f(p, q)) for p,
                    q in zip(a, b)]
        wanted["nan"] = [float(math.isnan(p)) for p in a]
        wanted["inf"] = [math.copysign(1.0, p) if math.isinf(p) else 0.0 for p in a]
        expect(m.run(x, z, brain, 1), wanted, form)
    both(m, one)


def check_functions(m):
    def one(x, z, brain, form, a, b):
        dtype, unit = (torch.bfloat16, 2.0**-8) if brain else (torch.float16, 2.0**-11)
        got = m.run(x, z, brain, 2).double()
        v = x.to(dtype)
        p = (v.abs() + 0.25).double()
        v = v.double()
        wanted = torch.stack([v.exp(), v.exp2(), 10**v, p.log(), p.log2(), p.log10(), p.sqrt(),
                              p.rsqrt(),
                              1 / p, v.sin(), v.cos(), v.floor(), v.ceil(), v.trunc(), v.round()])
        # A device returns the nearest number or its neighbour.
        nearest = wanted.to(dtype).double()
        tolerance = 2.1 * unit * nearest.abs() + (1e-7 if not brain else 1e-38)
        usual = v.abs() < 100
        wrong = ((got - nearest).abs() > tolerance) & usual & nearest.isfinite()
        assert not wrong.any(), (form, wrong.nonzero(), got[wrong], nearest[wrong])
        assert torch.equal(got[11:][:, usual], nearest[11:][:, usual])
    both(m, one)


def check_pairs(m):
    def one(x, z, brain, form, a, b):
        y, masks = m.pairs(x, z, brain)
        third = torch.tensor(0.3, device="cpu").item()
        c = [rounded(third if i % 2 == 0 else -third, form) for i in range(len(a))]
        zipped = list(zip(a, b))
        nan = [math.isnan(p) or math.isnan(q) for p, q in zipped]
        wanted = {
            "add": [on(form, lambda p, q: p + q, p, q) for p, q in zipped],
            "sub": [on(form, lambda p, q: p - q, p, q) for p, q in zipped],
            "mul": [on(form, lambda p, q: p * q, p, q) for p, q in zipped],
            "div": [on(form, lambda p, q: p / q, p, q) for p, q in zipped],
            "fma": [on(form, lambda p, q, r: p * q + r, p, q, r) for (p, q), r in zip(zipped, c)],
            "add sat": [saturated(on(form, lambda p, q: p + q, p, q)) for p, q in zipped],
            "neg": [-p for p in a], "abs": [abs(p) for p in a],
            "max": [larger(p, q) for p, q in zipped], "min": [smaller(p, q) for p, q in zipped],
            "eq": [float(p == q) for p, q in zipped],
            "ltu": [float(n or p < q) for (p, q), n in zip(zipped, nan)],
            "nan": [float(math.isnan(p)) for p in a]}
        expect(y[:13], wanted, form)
        device = "cpu"
        wide = torch.tensor(a, dtype=torch.float64, device=device)
        dtype = torch.bfloat16 if brain else torch.float16
        assert all(same(g, w) for g, w in zip(y[13].tolist(), wide.abs().sqrt().to(dtype).tolist()))
        assert all(same(g, w) for g, w in zip(y[14].tolist(), wide.floor().tolist()))
        # (a0 + a1 i)(b0 + b1 i) + c, with two fused multiply-adds per part.
        row = y[15].tolist()
        for i in range(0, len(a), 2):
            if not all(math.isfinite(v) for v in a[i:i + 2] + b[i:i + 2]):
                continue
            fma = lambda p, q, r: on(form, lambda s, t, u: s * t + u, p, q, r)
            real = fma(-a[i + 1], b[i + 1], fma(a[i], b[i], c[i]))
            imaginary = fma(a[i + 1], b[i], fma(a[i], b[i + 1], c[i + 1]))
            assert same(row[i], real) and same(row[i + 1], imaginary), (form, i, row[i:i + 2],
                real, imaginary)
        halves = list(zip(zipped[::2], zipped[1::2]))
        assert [v & 0xffffffff for v in masks[0].tolist()] == [
            (0xffff if p[0] > p[1] else 0) | (0xffff0000 if q[0] > q[1] else 0) for p, q in halves]
        ordered = lambda p: not (math.isnan(p[0]) or math.isnan(p[1]))
        assert masks[1].tolist() == [
            int(p[0] >= p[1] and q[0] >= q[1])
            | int(ordered(p) and ordered(q) and p[0] != p[1] and q[0] != q[1]) << 1
            | int(not p[0] > p[1] and not q[0] > q[1]) << 2 for p, q in halves]
    both(m, one)


def check_parts_of_pairs(m):
    x = torch.randn(64).half()
    y, sums = m.parts(x)
    low, high = x[0::2], x[1::2]
    wanted = [low, high, high, low, high, low, low, (low.float() + high.float()).half(), low, high]
    for row, (got, want) in enumerate(zip(y, wanted)):
        assert torch.equal(got, want), row
    assert torch.allclose(sums, x.float().view(-1, 8).sum(1), atol=1e-5)
