import itertools

import km_cuda
import torch


def check_tiles(m):
    x = torch.randn(32, 45)
    for seed in (0, 4):
        km_cuda.configure(seed=seed)
        for tile in (4, 16, 32):
            assert torch.allclose(m.tile_sum(x, tile), x.sum(1), atol=1e-4), tile


def check_collectives(m):
    x = torch.randint(0, 100, (64,)).int()
    v = x.tolist()
    y = m.collectives(x).tolist()
    warp = [v[i // 32 * 32:i // 32 * 32 + 32] for i in range(64)]
    quad = [v[i // 4 * 4:i // 4 * 4 + 4] for i in range(64)]
    scans = [list(itertools.accumulate(v[base:base + 32])) for base in (0, 32)]
    assert y[0] == [sum(w) for w in warp]
    assert y[1] == [max(q) for q in quad]
    assert y[2] == [min(q) for q in quad]
    assert y[3] == scans[0] + scans[1]
    assert y[4] == [sum(quad[i][:i % 4]) for i in range(64)]
    assert y[5] == [q[2] for q in quad]
    assert y[6] == [quad[i][max(i % 4 - 1, 0)] if i % 4 else v[i] for i in range(64)]
    assert y[7] == [v[i ^ 5] for i in range(64)]
    assert y[8] == [sum((e & 1) << j for j, e in enumerate(q)) for q in quad]
    assert y[9] == [int(any(e > 90 for e in w)) + 2 for w in warp]


def check_asynchronous_copy(m):
    x = torch.randn(512)
    assert torch.equal(m.shared_copy(x), x.view(4, 128).flip(1).view(-1))


def check_copies_arrive_when_they_are_awaited(m):
    x = torch.randn(256)
    expected = x.view(4, 64).flip(1).view(-1)
    assert torch.equal(m.staged_copy(x, False), expected)
    assert not torch.equal(m.staged_copy(x, True), expected)
    assert not torch.equal(m.unawaited_copy(x[:128]), x[:128])
    assert torch.equal(m.plain_copy(x[:128]), x[:128])
