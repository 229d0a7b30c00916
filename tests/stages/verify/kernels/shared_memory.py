import km_cuda
import torch


def check_tile_of_a_template(m):
    for dtype in (torch.float32, torch.float64):
        for shape in ((8, 8), (13, 21), (1, 50)):
            x = torch.randn(shape, dtype=dtype)
            assert torch.equal(m.transpose(x), x.t())


def check_tiled_matmul(m):
    for seed in (0, 5):
        km_cuda.configure(seed=seed)
        a, b = torch.randn(33, 47), torch.randn(47, 18)
        assert torch.allclose(m.matmul(a, b), a @ b, atol=1e-4)


def check_dynamic(m):
    x = torch.randn(3, 40)
    assert torch.allclose(m.reverse(x, False), x.flip(1) + 0.25)
    assert torch.equal(m.reverse(x, True), x.flip(1))
    assert [launch["shared"] for launch in km_cuda.launches()] == [168, 160]


def check_structures(m):
    x = torch.randn(4, 1000)
    value, index = m.argmax(x)
    wanted = x.max(dim=1)
    assert torch.equal(value, wanted.values) and torch.equal(index, wanted.indices)


def check_nothing_is_inherited(m):
    assert m.uninitialized().isnan().all()


def check_more_than_48_kib(m):
    assert m.large(100_000, True).item() == 24_999.0


def check_fault_more_than_48_kib_unasked(m):
    m.large(49_156, False)
    assert km_cuda.fault()["reason"] == "launch_limit", km_cuda.fault()
