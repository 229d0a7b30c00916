import functools
import operator

import km_cuda
import torch


def signed(mask):
    return mask - (1 << 32) if mask >> 31 else mask


def check_every_type_and_width(m):
    x = torch.randperm(64).int()
    v = x.tolist()
    wanted = []
    for width in (2, 4, 8, 16, 32):
        base = [i // width * width for i in range(64)]
        wanted += [
            [v[b + 1] for b in base],
            [v[i - 1] if i > b else v[i] for i, b in enumerate(base)],
            [v[i + 3] if i + 3 < b + width else v[i] for i, b in enumerate(base)],
            # A lane outside of the segment is read as named, unless it is after the segment.
            [v[i ^ 2] if i ^ 2 < b + width else v[i] for i, b in enumerate(base)]]
    for kind in range(9):
        assert m.every_width(x, kind).tolist() == wanted, kind


def check_pairs(m):
    x = torch.randint(-9, 9, (128,)).half()
    halves = x.view(2, 32, 2).sum(1, keepdim=True).expand(2, 32, 2)
    assert torch.equal(m.pair_sums(x), halves.reshape(-1))


def check_masks(m):
    mask = 0x0f0ff0f1
    for seed in (0, 1, 2):
        km_cuda.configure(seed=seed)
        x = torch.randint(0, 100, (64,)).int()
        rows = m.masked(x).tolist()
        for warp in (0, 32):
            v = x[warp:warp + 32].tolist()
            inside = [i for i in range(32) if mask >> i & 1]
            taken = [v[i] for i in inside]
            fold = lambda f: functools.reduce(f, taken)
            common = [signed(sum((v[i] & 1) << i for i in inside)), int(any(e > 90 for e in taken)),
                      int(all(e > 5 for e in taken)), None, sum(taken), min(taken), max(taken),
                      fold(operator.and_), fold(operator.or_), fold(operator.xor), v[4]]
            for k, want in enumerate(common):
                for i in range(32):
                    value = want if k != 3 else signed(
                        sum(1 << j for j in inside if v[j] % 4 == v[i] % 4))
                    assert rows[k][warp + i] == (value if i in inside else -7), (k, i)


def check_matches(m):
    x = torch.randint(0, 100, (64,)).int()
    x[32:] = 7
    rows = m.matches(x).tolist()
    for t in range(64):
        v = x[t // 32 * 32:t // 32 * 32 + 32].tolist()
        own = x[t].item()
        assert rows[0][t] == signed(sum(1 << j for j, e in enumerate(v) if e % 5 == own % 5))
        assert rows[1][t] == signed(sum(1 << j for j, e in enumerate(v) if e % 2 == own % 2))
    assert rows[2] == [0] * 32 + [-1] * 32 and rows[3] == [0] * 32 + [1] * 32
    assert rows[4] == [-1] * 64 and rows[5] == [1] * 64


def check_counting_barriers(m):
    for threads in (32, 100):
        x = torch.randint(0, 100, (3, threads)).int()
        x[1, 5] = 17
        x[2] = 60
        y = m.counting(x)
        for row, got in zip(x, y):
            above = int((row > 50).sum())
            wanted = [above, 1, int(above == threads), 0, int((row == 17).any())]
            assert got.tolist() == [[w] * threads for w in wanted]


def check_lanes_that_leave(m):
    for seed in (0, 1):
        km_cuda.configure(seed=seed)
        assert m.leaving().tolist() == [t % 32 + 23 if t % 32 < 24 else 0 for t in range(64)]


def check_segmented_scan(m):
    flags, x = (torch.rand(64) < 0.2).int(), torch.randint(0, 9, (64,)).int()
    wanted, total = [], 0
    for i, (f, e) in enumerate(zip(flags.tolist(), x.tolist())):
        total = e if f or i % 32 == 0 else total + e
        wanted.append(total)
    assert m.segments(flags, x).tolist() == wanted


def check_transposition_inside_a_warp(m):
    x = torch.randn(32, 4)
    assert torch.equal(m.warp_transpose(x), x.view(8, 4, 4).transpose(1, 2).reshape(32, 4))


def check_order_of_lanes(m):
    for columns, rows in ((8, 8), (16, 4), (32, 2)):
        got = m.lane_order(columns, rows).tolist()
        assert got == [t // 32 * 32 * 1000 + 32 // columns for t in range(64)], (columns, rows)
