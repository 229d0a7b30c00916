import km_cuda
import torch
import torch.nn.functional as F


def close(a, b, tolerance=1e-4):
    assert a.shape == b.shape and torch.allclose(a, b, atol=tolerance,
                                                 rtol=tolerance), (a - b).abs().max()


def check_softmax(m):
    for n in (1, 33, 300, 1500):
        x = torch.randn(8, n) * 4
        close(m.softmax(x, False), x.softmax(1), 1e-5)
        close(m.softmax(x, True), x.softmax(1), 1e-5)


def check_layer_norm(m):
    for dtype, tolerance in ((torch.float32, 1e-5), (torch.float64, 1e-5), (torch.float16, 5e-3)):
        x, weight, bias = torch.randn(6, 200) * 3 + 5, torch.randn(200), torch.randn(200)
        x, weight, bias = x.to(dtype), weight.to(dtype), bias.to(dtype)
        wanted = F.layer_norm(x.double(), (200,), weight.double(), bias.double()).to(dtype)
        close(m.layer_norm(x, weight, bias, 1e-5), wanted, tolerance)


def check_convolution(m):
    x, weight, bias = torch.randn(2, 3, 11, 13), torch.randn(4, 3, 3, 3), torch.randn(4)
    for stride, padding in ((1, 0), (1, 1), (2, 1)):
        close(m.conv2d(x, weight, bias, stride, padding), F.conv2d(x, weight, bias, stride,
            padding))
        close(m.conv2d(x, weight, None, stride, padding), F.conv2d(x, weight, None, stride,
            padding))


def check_max_pool(m):
    x = torch.randn(2, 3, 12, 18)
    for size in (2, 3):
        y, where = m.max_pool(x, size)
        wanted, at = F.max_pool2d(x, size, return_indices=True)
        assert torch.equal(y, wanted) and torch.equal(where, at)


def check_matmul_in_registers(m):
    for rows, depth, columns in ((32, 8, 32), (45, 21, 70)):
        a, b = torch.randn(rows, depth), torch.randn(depth, columns)
        close(m.matmul(a, b, False), a @ b)


def check_matmul_with_two_buffers(m):
    a, b = torch.randn(2, 32, 32)
    for seed in (0, 9):
        km_cuda.configure(seed=seed)
        close(m.matmul(a, b, True), a @ b)


def check_attention(m):
    q, k, v = torch.randn(3, 2, 37, 16)
    close(m.attention(q, k, v), F.scaled_dot_product_attention(q, k, v))


def check_bitonic_sort(m):
    x = torch.randn(3, 256)
    assert torch.equal(m.sort_rows(x), x.sort(1).values)


def check_scan_up_and_down(m):
    x = torch.randint(0, 9, (3, 128)).float()
    for seed in (0, 2):
        km_cuda.configure(seed=seed)
        assert torch.equal(m.exclusive_scan(x), x.cumsum(1) - x)


def check_cross_entropy(m):
    x, label = torch.randn(12, 100), torch.randint(0, 100, (12,))
    close(m.cross_entropy(x, label), F.cross_entropy(x, label))


def check_group_norm(m):
    x = torch.randn(2, 6, 5, 7)
    for groups in (1, 2, 6):
        close(m.group_norm(x, groups), F.group_norm(x, groups))


def check_two_level_sum(m):
    x = torch.randn(4000)
    close(m.total(x), x.sum().view(1), 1e-3)


def check_reduction_that_ends_in_one_warp(m):
    x = torch.randn(4, 1000)
    for seed in (0, 6):
        km_cuda.configure(seed=seed)
        close(m.old_reduction(x), x.sum(1), 1e-3)
