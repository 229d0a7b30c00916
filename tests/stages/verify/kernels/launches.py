import itertools

import km_cuda
import torch


def check_dispatch_over_types(m):
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int32,
                  torch.int64, torch.uint8):
        a = torch.randint(0, 100, (7, 129)).to(dtype)
        b = torch.randint(0, 100, (7, 129)).to(dtype)
        assert torch.equal(m.add(a, b), a + b), dtype


def check_keywords_and_defaults(m):
    x = torch.randn(1000)
    assert torch.equal(m.scale(x), x * 2)
    assert torch.equal(m.scale(x, factor=3), x * 3)
    assert torch.equal(m.scale(x, 0.5, square=True), x * x * 0.5)
    for wrong in (lambda: m.scale(), lambda: m.scale(x, "a"), lambda: m.scale(x, shape=1),
                  lambda: m.scale(x, 1.0, True, 4), lambda: m.scale(3)):
        try:
            wrong()
        except TypeError:
            continue
        raise AssertionError("a wrong call passed")


def check_positions(m):
    wanted = [[bx, by, bz, tx, ty, tz]
              for bz, by, bx in itertools.product(range(4), range(3), range(2))
              for tz, ty, tx in itertools.product(range(3), range(2), range(5))]
    for seed in (0, 1, 99):
        km_cuda.configure(seed=seed)
        assert m.positions().tolist() == wanted
    launch = km_cuda.launches()[0]
    assert launch["kernel"] == "position_kernel" and launch["file"] == "launches.cu"
    assert launch["grid"] == (2, 3, 4) and launch["block"] == (5, 2, 3)
    source = open(__file__.replace(".py", ".cu")).read().split("\n")
    assert "position_kernel<<<" in source[launch["line"] - 1]


def check_function_pointer(m):
    assert m.by_pointer(False).tolist() == [1.0] * 32
    assert m.by_pointer(True).tolist() == [2.0] * 32


def check_functor_constant_and_symbol(m):
    x = torch.randn(8)
    y, total = m.apply(x)
    wanted = x * x * 2 + 0.5 + torch.tensor([1.0, 2, 3, 4]).repeat(2)
    assert torch.allclose(y, wanted) and total.item() == 42.0


def check_packed_accessor(m):
    x = torch.randn(5, 9)
    assert torch.equal(m.transpose(x), x.t())
    assert torch.equal(m.transpose(x.t()), x)


def check_vector_types(m):
    x = torch.randn(400)
    wanted = x.view(-1, 4) * torch.tensor([1.0, 2, 1, -1]) + torch.tensor([1.0, 0, -3, 0])
    assert torch.equal(m.vectorized(x), wanted.view(-1))
    try:
        m.vectorized(torch.randn(3))
    except RuntimeError as error:
        assert "a<<<b>>>(c)" in str(error)
    else:
        raise AssertionError("TORCH_CHECK did not throw")
