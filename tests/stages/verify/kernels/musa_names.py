import km_cuda
import torch


def check_memory_streams_events_and_symbols(m):
    x = torch.randn(333)
    wanted = 2 * x + torch.tensor([1.0, 2, 3, 4]).repeat(84)[:333]
    assert torch.allclose(m.through_memory(x), wanted)


def check_queries(m):
    assert m.queries() == [0, 1, 1024, 1, 32, 1]


def check_sum_of_a_block_at_both_widths(m):
    for dtype in (torch.float32, torch.float64):
        x = torch.randn(3000, dtype=dtype)
        for width in (32, 128):
            km_cuda.configure(warp_width=width, seed=width)
            assert torch.allclose(m.block_sum(x), x.sum().view(1), atol=1e-3)


def check_votes_at_both_widths(m):
    x = torch.randint(0, 80, (256,)).int()
    x[40] = 95
    for width in (32, 128):
        km_cuda.configure(warp_width=width)
        wanted = [6 + int(40 // width == t // width) for t in range(256)]
        assert m.votes(x).tolist() == wanted


def check_pairs_of_halves(m):
    x = torch.randn(128).half()
    assert torch.equal(m.halves(x), (x.double() * x.double() + 1).half())


def check_random_numbers(m):
    y = m.noise(torch.zeros(1), 3)
    assert 0 < y.min() and y.max() <= 1 and abs(y.mean() - 0.5) < 0.1
    assert not torch.equal(y, m.noise(torch.zeros(1), 4))


def check_fault_refused_launch(m):
    assert m.refused(torch.zeros(4)) == "cudaErrorInvalidConfiguration"
    assert km_cuda.fault()["reason"] == "launch_limit"
