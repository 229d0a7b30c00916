import km_cuda
import torch

SHAPES = {
    "half": (torch.half, torch.float, 16, 16, 16), "half_sums": (torch.half, torch.half, 16, 16, 16),
    "half_tall": (torch.half, torch.float, 32, 8, 16),
    "half_wide": (torch.half, torch.float, 8, 32, 16),
    "bfloat16": (torch.bfloat16, torch.float, 16, 16, 16),
    "bfloat16_tall": (torch.bfloat16, torch.float, 32, 8, 16),
    "tf32": (torch.float, torch.float, 16, 16, 8), "int8": (torch.int8, torch.int, 16, 16, 16),
    "uint8": (torch.uint8, torch.int, 8, 32, 16), "double": (torch.double, torch.double, 8, 8, 4)}


def drawn(shape, dtype):
    if dtype in (torch.int8, torch.uint8, torch.int):
        low = 0 if dtype == torch.uint8 else -100
        return torch.randint(low, 200 if dtype == torch.uint8 else 100, shape).to(dtype)
    return torch.randn(shape).to(dtype)


def tf32(x):
    return (x.view(torch.int32) & ~0x1fff).view(torch.float32)


def check_wmma(m):
    for seed in (0, 5):
        km_cuda.configure(seed=seed)
        for what, (dtype, sums, rows, columns, inner) in SHAPES.items():
            for by_rows in (True, False):
                a, b = drawn((rows, inner), dtype), drawn((inner, columns), dtype)
                c = drawn((rows, columns), sums)
                y = torch.zeros_like(c if by_rows else c.t().contiguous())
                # a in rows, b in columns, c and y in rows; or the other way round.
                m.wmma_tile(what, a.contiguous() if by_rows else a.t().contiguous(),
                            b.t().contiguous() if by_rows else b.contiguous(),
                            c if by_rows else c.t().contiguous(), y, by_rows)
                exact = tf32(a) @ tf32(b) if what == "tf32" else a.double() @ b.double()
                wanted = (c + 2 * exact.double()).to(sums)
                y = y if by_rows else y.t()
                if sums == torch.int:
                    assert torch.equal(y, wanted), what
                bound = 2e-2 if sums == torch.half else 1e-5
                assert torch.allclose(y.double(), wanted.double(), atol=bound, rtol=bound), what


def check_places_of_an_accumulator(m):
    x = torch.randn(16, 16)
    assert torch.equal(m.places(x), x)


def check_mma(m):
    for dtype in (torch.half, torch.bfloat16):
        a, b, c = drawn((16, 16), dtype), drawn((16, 8), dtype), torch.randn(16, 8)
        assert torch.allclose(m.mma16(a, b, c), a.float() @ b.float() + c, atol=1e-5), dtype


def check_other_shapes_of_mma(m):
    for dtype, other, sums, rows, inner in [
            (torch.float, torch.float, torch.float, 16, 8), (torch.half, torch.half, torch.half, 16, 8),
            (torch.int8, torch.uint8, torch.int, 16, 32), (torch.double, torch.double, torch.double, 8, 4)]:
        a, b = drawn((rows, inner), dtype), drawn((8, inner), other)
        y = torch.zeros(rows, 8, dtype=sums)
        m.mma_other(a, b, y)
        wanted = a.double() @ b.double().t()
        bound = {torch.float: 2e-2, torch.half: 2e-2, torch.int: 0, torch.double: 1e-12}[sums]
        assert torch.allclose(y.double(), wanted, atol=bound, rtol=0.0), dtype


def check_transposed_tiles(m):
    x = torch.randn(4, 8, 8).half()
    assert torch.equal(m.transposed_tiles(x), x.transpose(1, 2))
