import km_cuda
import torch


def check_every_type(m):
    for dtype in (torch.float32, torch.float64, torch.int8, torch.uint8, torch.int16, torch.int32,
                  torch.int64, torch.float16, torch.bfloat16):
        x = torch.randint(0, 20, (100,)).to(dtype)
        assert torch.equal(m.typed(x), x + x.roll(-1)), dtype


def check_one_dynamic_array_for_three(m):
    x = torch.randn(50)
    t = torch.arange(50)
    wanted = x.flip(0) + ((t + 3) % 50) * 100 + (x.roll(-1) > 0) * 0.5
    assert torch.allclose(m.dynamic(x, 0), wanted)


def check_dynamic_arrays_of_one_name(m):
    x = torch.randn(64)
    assert torch.equal(m.dynamic(x, 1), (x * 4).trunc().roll(-1))
    assert torch.equal(m.dynamic(x, 2), (x * 4).roll(-1))
    assert torch.equal(m.dynamic(x, 3), x.flip(0))


def check_dimensions(m):
    x = torch.randint(0, 9, (3, 4, 8)).float()
    for seed in (0, 2):
        km_cuda.configure(seed=seed)
        assert torch.equal(m.shaped(x), x.flip(0, 1, 2) + 3 * x[1].sum())


def check_unions_and_structures(m):
    x = torch.randint(-1000, 1000, (64,)).int()
    for seed in (0, 2):
        km_cuda.configure(seed=seed)
        y = m.unions(x).tolist()
        even = [v for v in x.tolist() if v % 2 == 0]
        assert y[:64] == x.flip(0).roll(-1).tolist()
        assert y[64:] == [len(even), sum(even), x.min().item(), x.max().item()]


def check_scopes(m):
    x = torch.randn(3, 64)
    wanted = (x.sum(1) + 2 * (x * x).sum(1) + 4 * x[:, 63] + 8 * x.mean(1))[:, None].expand(3, 64)
    for seed in (0, 2):
        km_cuda.configure(seed=seed)
        assert torch.allclose(m.scopes(x, 0), wanted, atol=1e-3)


def check_kernels_that_macros_define(m):
    x = torch.randn(64)
    for seed in (0, 2):
        km_cuda.configure(seed=seed)
        assert torch.equal(m.scopes(x, 3), x.roll(-3))
        assert torch.equal(m.scopes(x, 5), x.roll(-5))


def check_producers_and_consumers(m):
    x = torch.randn(320)
    for seed in (0, 2, 3):
        km_cuda.configure(seed=seed)
        assert torch.equal(m.queue(x), x.view(10, 32).flip(1).view(-1))
