import km_cuda
import torch


def check_row_sum_of_both_widths(m):
    x = torch.randn(4, 700)
    for width in (32, 128):
        km_cuda.configure(warp_width=width, seed=2)
        assert torch.allclose(m.row_sum_musa(x), x.sum(1), atol=1e-3)


def check_width(m):
    for width in (32, 128):
        km_cuda.configure(warp_width=width)
        assert m.width().tolist() == [i // width * width + width - 1 for i in range(256)]


def check_bfloat16(m):
    x = torch.randn(100).bfloat16()
    assert torch.equal(m.scale(x), (x.float() * 1.5).bfloat16())


def check_architecture(m):
    assert m.architecture() == 310
