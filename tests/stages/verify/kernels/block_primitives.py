import math

import km_cuda
import torch


def check_loads_and_stores(m):
    for n in (256, 300, 1):
        x = torch.randint(0, 1000, (n,)).int()
        i = torch.arange(n) % 128
        assert torch.equal(m.loads(x, 0), x * 10 + (i % 4).int())
        assert torch.equal(m.loads(x, 1), x * 10 + (i // 32).int())
        assert torch.equal(m.loads(x, 2), x * 10 + (i % 4).int())


def check_sorts(m):
    x = torch.randn(128)
    up, down, places = m.sorts(x)
    assert torch.equal(up, x.sort().values)
    assert torch.equal(down, x.sort(descending=True).values) and torch.equal(x[places.long()], down)


def check_sorts_of_integers_and_of_some_bits(m):
    x = torch.randint(-1000, 1000, (128,)).int()
    whole, low = m.integer_sorts(x)
    assert torch.equal(whole, x.sort().values)
    # The sort is stable: keys with the same lowest four bits keep their order.
    assert low.tolist() == sorted(x.tolist(), key=lambda v: v & 15)


def check_exchanges(m):
    x = torch.randint(0, 1000, (128,)).int()
    blocked, striped, scattered = m.exchanges(x)
    assert torch.equal(blocked, x) and torch.equal(striped, x) and torch.equal(scattered, x.flip(0))


def check_histogram_and_heads(m):
    x = torch.randint(0, 4, (128,)).to(torch.uint8)
    counts, heads = m.histogram(x)
    assert torch.equal(counts, torch.bincount(x.int(), minlength=256).int())
    wanted = [1] + (x[1:] != x[:-1]).int().tolist()
    assert heads.tolist() == wanted


def check_scans_of_several_items(m):
    x = torch.randint(-50, 50, (128,)).int()
    y, w = m.scans(x)
    sums = x.cumsum(0).int()
    assert torch.equal(y[0], sums) and torch.equal(y[1], sums - x) and torch.equal(y[2],
        x.cummax(0).values)
    first = x[::4]
    assert torch.equal(y[3][:32], (first.cumsum(0) - first).int())
    assert (y[3][32:64] == first.sum()).all() and y[3][64] == x.sum()
    v, eights = x[:64], x[:64].view(8, 8)
    assert torch.equal(w[0][::8], eights.sum(1).int()) and torch.equal(w[1][::8], eights.amax(1))
    if not hasattr(km_cuda, "is_device"):
        # Other lanes get no sum of all; this is what lanes have that shuffle down.
        assert torch.equal(w[0].view(8, 8), eights.flip(1).cumsum(1).flip(1).int())
    assert torch.equal(w[2][::8], eights[:, :5].sum(1).int())
    warps = v.view(2, 32)
    assert torch.equal(w[3].view(2, 32), warps.cumsum(1).int())
    assert torch.equal(w[4].view(2, 32), warps.cumsum(1).int() - warps)
    assert torch.equal(w[5].view(2, 32), warps.cummax(1).values)


def check_generators_that_go_on(m):
    n = 8192
    y = m.noise(torch.zeros(1), n, 7)
    assert torch.equal(y, m.noise(torch.zeros(1), n, 7))
    assert not torch.equal(y[0], y[1])
    for round in y.double():
        for row in (0, 1, 6, 9, 10):
            assert 0 <= round[row].min() and round[row].max() <= 1
            assert abs(round[row].mean() - 0.5) < 0.02 and abs(round[row].std() - 12**-0.5) < 0.01
        for row in (2, 3, 4, 7):
            assert abs(round[row].mean()) < 0.05 and abs(round[row].std() - 1) < 0.05
        assert abs(round[5].log().mean()) < 0.03 and abs(round[5].log().std() - 0.5) < 0.03
        assert abs(round[8].mean() - 3) < 0.1 and abs(round[8].std() - math.sqrt(3)) < 0.1
        # Different sequences must be uncorrelated.
        assert abs(torch.corrcoef(round[[0, 2]])[0, 1]) < 0.05
