import functools
import itertools
import operator

import km_cuda
import torch


def signed(mask):
    return mask - (1 << 32) if mask >> 31 else mask


def check_who_is_where(m):
    rows = m.identity(torch.zeros(1).int()).tolist()
    for t in range(96):
        assert [row[t] for row in rows] == [
            t // 12 * 100 + 12, t // 32 * 100 + 3, t % 32 // 8 * 1000 + 400 + t % 8, 1600 + t % 16,
            96 + 16 + 8]


def check_groups_of_any_kind(m):
    x = torch.randint(0, 100, (64,)).int()
    for seed in (0, 3):
        km_cuda.configure(seed=seed)
        wanted = torch.cat([x.sum().view(1), x.view(-1, 8).sum(1), x.view(-1, 16).sum(1)])
        assert m.generic(x).tolist() == wanted.tolist()


def check_collectives_of_every_size(m):
    for size in (2, 4, 8, 16, 32):
        km_cuda.configure(seed=size)
        x = torch.randint(0, 100, (64,)).int()
        tiles = [x[i:i + size].tolist() for i in range(0, 64, size)]
        rows = m.shuffles(x, size).tolist()
        for t in range(64):
            v, r = tiles[t // size], t % size
            wanted = [v[-1], v[max(r - 1, 0)] if r else v[r], v[r + 2] if r + 2 < size else v[r],
                      v[r ^ size // 2],
                      int(any(e > 90 for e in v)) + 2 * int(all(e > 10 for e in v)),
                      signed(sum((e % 2) << i for i, e in enumerate(v))),
                      signed(sum((e % 3 == v[r] % 3) << i for i, e in enumerate(v))), 1, 1, sum(v),
                      max(v),
                      functools.reduce(operator.xor, v), sum(v[:r + 1]), sum(v[:r]), max(v[:r + 1])]
            assert [row[t] for row in rows] == wanted, (size, t)


def check_threads_of_one_branch(m):
    for seed in (0, 1, 2):
        km_cuda.configure(seed=seed)
        x = torch.randint(0, 100, (96,)).int()
        y, count, found = m.coalesced(x)
        rows, values = y.tolist(), x.tolist()
        for warp in (0, 32, 64):
            inside = [t for t in range(warp, warp + 32) if values[t] % 3 == 0]
            taken = [values[t] for t in inside]
            for t in range(warp, warp + 32):
                wanted = [-1] * 5
                if t in inside:
                    wanted = [len(inside), inside.index(t), sum(taken), taken[0],
                              sum((e > 50) << i for i, e in enumerate(taken))]
                assert [row[t] for row in rows] == wanted, t
        kept = sorted(v for v in values if v % 3 == 0)
        assert count.item() == len(kept) and sorted(found.tolist()[:len(kept)]) == kept


def check_partitions(m):
    for seed in (0, 1):
        km_cuda.configure(seed=seed)
        x = torch.randint(0, 100, (64,)).int()
        rows = m.partitions(x).tolist()
        for t in range(64):
            v = x[t // 32 * 32:t // 32 * 32 + 32].tolist()
            own = x[t].item()
            same = [e for e in v if e % 4 == own % 4]
            side = [i for i, e in enumerate(v) if (e > 50) == (own > 50)]
            rank = side.index(t % 32)
            assert [row[t] for row in rows] == [
                len(same), sum(same), len(side) * 100 + rank, rank + 1, int(t % 32 == 0)], t


def check_sum_of_a_block(m):
    x = torch.randn(3, 1000)
    assert torch.allclose(m.block_sums(x), x.sum(1), atol=1e-3)


def check_barrier_in_two_parts(m):
    x = torch.randint(0, 100, (64,)).int()
    for seed in (0, 1):
        km_cuda.configure(seed=seed)
        assert torch.equal(m.split(x), x * 2 + x.flip(0))
