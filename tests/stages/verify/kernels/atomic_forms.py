import functools
import operator

import km_cuda
import torch


def wrapped(value, bits, signed):
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> bits - 1 else value


def check_every_operation_of_every_type(m):
    for dtype, bits in ((torch.int32, 32), (torch.int64, 64)):
        x = torch.randint(-2**31, 2**31 - 1, (200,)).to(dtype)
        start = [0, 5, 5, -1, 0, 0, 1, 0, 0, 5, 0]
        for signed in (True, False):
            v = [wrapped(e, bits, signed) for e in x.tolist()]
            first = [wrapped(e, bits, signed) for e in start]
            wanted = [sum(v), min(v + [first[1]]), max(v + [first[2]]),
                      functools.reduce(operator.and_, v),
                      functools.reduce(operator.or_, v), functools.reduce(operator.xor, v), 7, 9,
                      sum(v), max(v + [first[9]]), functools.reduce(operator.or_, v)]
            for shared in (False, True):
                for seed in (0, 5):
                    km_cuda.configure(seed=seed)
                    got = m.every(x, torch.tensor(start).to(dtype), signed, shared).tolist()
                    if not shared:
                        # Atomic within each block only: with three blocks, a device may lose some.
                        got[8], got[10] = wanted[8], wanted[10]
                    assert [wrapped(g, bits, True) for g in got] == [
                        wrapped(w, bits, True) for w in wanted], (dtype, signed, shared)


def check_what_calls_return(m):
    for seed in (0, 3):
        km_cuda.configure(seed=seed)
        counter = torch.tensor([0, 0, 0, 0, -1, 10]).int()
        rows = m.returned(counter, 3, 40).tolist()
        assert sorted(rows[0]) == list(range(120))
        assert sorted(rows[1]) == list(range(-238, 2, 2))
        assert sorted(rows[2]) == sorted(i % 5 for i in range(120))
        # It wraps from 0 to 4 and decrements.
        assert sorted(rows[3]) == sorted([0] + [4 - i % 5 for i in range(119)])
        assert sorted(rows[4] + [counter[4].item()]) == list(range(-1, 120))
        assert sorted(rows[5]) == list(range(10, 130))
        assert counter.tolist()[:4] == [120, -240, 120 % 5, (0 - 120) % 5]


def check_sums_of_floats_in_both_memories(m):
    x = torch.randn(300)
    f, d = m.floats(x)
    total = x.double().sum()
    assert (f[[0, 1, 3]].double() - total).abs().max() < 1e-3 and f[2].item() == 5.0
    assert (d - total).abs().max() < 1e-9


def check_numbers_of_16_bits_alone_and_in_pairs(m):
    for dtype in (torch.float16, torch.bfloat16):
        assert m.narrow(torch.zeros(1, dtype=dtype)).tolist() == [64.0, 0.0, 64.0, 128.0]


def check_loops_of_compare_and_swap(m):
    x = torch.randn(200)
    for seed in (0, 4):
        km_cuda.configure(seed=seed)
        f, d, h = m.loops(x)
        assert f.tolist() == [1.0, x.min().item()]
        assert d.item() == x.max().double().item() and h[0].item() == 600


def compacted(m, name):
    x = torch.randint(0, 1000, (777,)).int()
    wanted = sorted(e for e in x.tolist() if e % 3 == 0)
    for seed in (0, 1, 2):
        km_cuda.configure(seed=seed)
        found, count = getattr(m, name)(x)
        assert count.item() == len(wanted)
        assert sorted(found.tolist()[:len(wanted)]) == wanted
        assert all(e == -1 for e in found.tolist()[len(wanted):])


def check_one_atomic_a_warp(m):
    compacted(m, "compact")


def check_one_atomic_for_the_lanes_that_are_there(m):
    compacted(m, "compact_active")
