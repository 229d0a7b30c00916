import km_cuda
import torch


def check_row_sum(m):
    x = torch.randn(5, 777)
    for seed in (0, 3):
        km_cuda.configure(seed=seed)
        for threads in (32, 64, 256, 1024):
            assert torch.allclose(m.row_sum(x, threads), x.sum(1), atol=1e-3), threads


def check_shuffles(m):
    x = torch.randperm(64).int()
    y = m.run(x, False).view(10, 2, 32)
    for warp in range(2):
        v = x[32 * warp:32 * warp + 32].tolist()
        lanes = range(32)
        wanted = [
            [v[5]] * 32,
            [v[i // 8 * 8 + 3] for i in lanes],
            [v[i - 2] if i >= 2 else v[i] for i in lanes],
            [v[i - 1] if i % 4 else v[i] for i in lanes],
            [v[i + 3] if i + 3 < 32 else v[i] for i in lanes],
            [v[i + 1] if i % 16 < 15 else v[i] for i in lanes],
            [v[i ^ 7] for i in lanes],
            [v[i ^ 1] for i in lanes],
            [v[31]] * 32,
            [v[i ^ 16] for i in lanes],
        ]
        assert y[:, warp].tolist() == wanted
    assert km_cuda.findings() == []


def signed(mask):
    return mask - (1 << 32) if mask >> 31 else mask


def check_votes(m):
    x = torch.randint(0, 100, (64,)).int()
    x[40] = 2000
    y = m.run(x, True).view(10, 2, 32)
    for warp in range(2):
        v = x[32 * warp:32 * warp + 32].tolist()
        odd = sum(1 << i for i in range(32) if v[i] & 1)
        wanted = [
            [signed(odd)] * 32, [int(warp == 1)] * 32, [1] * 32, [32] * 32,
            [signed(sum(1 << j for j in range(32) if v[j] % 3 == v[i] % 3)) for i in range(32)],
            [-1] * 32, [1] * 32, [sum(v)] * 32, [max(v)] * 32, [min(v)] * 32,
        ]
        assert y[:, warp].tolist() == wanted


def check_partial_masks(m):
    v = []
    for t in range(64):
        lane, base = t % 32, t // 32 * 32
        v.append(sum(base + lane // 8 * 8 + i for i in range(8)) if lane < 16 else base + 20)
    wanted = [v[t + 1] if t % 32 < 31 else v[t] for t in range(64)]
    for seed in range(4):
        km_cuda.configure(seed=seed)
        assert m.divergent().tolist() == wanted, seed


def check_scan(m):
    for n in (1, 31, 32, 500, 1000):
        x = torch.randint(-50, 50, (n,)).int()
        assert torch.equal(m.scan(x), x.cumsum(0).int())


def check_lanes_that_are_not_there(m):
    y = m.absent()
    assert y.isnan().any()
    (finding,) = km_cuda.findings()
    assert finding["reason"] == "shuffle_from_absent_lane"
    line = open(__file__.replace(".py", ".cu")).read().split("\n")[finding["line"] - 1]
    assert "v += __shfl_down_sync" in line
