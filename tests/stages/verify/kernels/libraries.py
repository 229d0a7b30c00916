import torch


def check_block_reduce(m):
    x = torch.randn(3, 500)
    mean = x.mean(1)
    wanted = torch.stack([mean, (x - mean[:, None]).abs().amax(1)], 1)
    assert torch.allclose(m.reduce(x), wanted, atol=1e-5)


def check_block_scan_and_warp_reduce(m):
    x = torch.randint(-9, 9, (64,)).int()
    inclusive, exclusive, warps = m.scan(x)
    assert torch.equal(inclusive, x.cumsum(0).int())
    assert torch.equal(exclusive, x.cumsum(0).int() - x)
    assert torch.equal(warps, x.view(2, 32).sum(1).int())


def check_random_numbers(m):
    uniform, normal = m.random(20_000, 5)
    assert uniform.min() > 0 and uniform.max() <= 1
    assert abs(uniform.mean() - 0.5) < 0.01 and abs(uniform.std() - 12**-0.5) < 0.01
    assert abs(normal.mean()) < 0.03 and abs(normal.std() - 1) < 0.03
    assert torch.equal(m.random(100, 5), m.random(100, 5))
    assert not torch.equal(m.random(100, 5), m.random(100, 6))
