import functools
import operator

import km_cuda
import torch


def check_integers(m):
    x = torch.randint(1, 1000, (333,)).int()
    v = x.tolist()
    for seed in (0, 8):
        km_cuda.configure(seed=seed)
        s, u, wide, low = m.integers(x)
        assert s.tolist() == [
            sum(v), -sum(v), min(v), max(v), functools.reduce(operator.and_, v),
            functools.reduce(operator.or_, v), functools.reduce(operator.xor, v), 17, 1, 1]
        assert u.tolist() == [999, 333 % 7, (-333) % 7]
        assert wide.tolist() == [333 << 33, max(v)] and low.item() == -max(v)


def check_sums_of_floating_types(m):
    for dtype, tolerance in ((torch.float32, 1e-3), (torch.float64, 1e-9)):
        x = torch.randn(500, dtype=dtype)
        assert abs(m.sum(x).item() - x.sum().item()) < tolerance
    for dtype in (torch.float16, torch.bfloat16):
        x = torch.ones(100, dtype=dtype)
        assert m.sum(x).item() == 100.0
    # From 256 on, bfloat16 has no odd integers.
    assert m.sum(torch.ones(400, dtype=torch.bfloat16)).item() == 256.0


def check_histogram(m):
    x = torch.randint(0, 37, (5000,)).int()
    assert torch.equal(m.histogram(x, 37), torch.bincount(x, minlength=37).int())


def check_compare_and_swap_loop(m):
    x = torch.randn(1000)
    assert m.largest(x).item() == x.max().item()


def check_last_block(m):
    x = torch.randn(2000)
    for seed in range(3):
        km_cuda.configure(seed=seed)
        assert abs(m.last_block(x).item() - x.sum().item()) < 1e-3


def check_lock(m):
    for seed in range(3):
        km_cuda.configure(seed=seed)
        assert m.with_lock().tolist() == [0, 24]
