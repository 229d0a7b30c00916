import itertools

import km_cuda
import torch


def check_sgemm(m):
    for ta, tb in itertools.product((False, True), repeat=2):
        a, b = torch.randn(5, 7), torch.randn(7, 3)
        c = torch.randn(5, 3)
        expected = 1.5 * (a @ b) - 0.5 * c
        got = m.sgemm(a.t().contiguous() if ta else a, b.t().contiguous() if tb else b, c.clone(),
                      ta, tb, 1.5, -0.5)
        assert torch.allclose(got, expected, atol=1e-5), (ta, tb)


def check_c_is_not_read_without_beta(m):
    a, b = torch.randn(4, 6), torch.randn(6, 2)
    c = torch.full((4, 2), float("nan"))
    assert torch.allclose(m.sgemm(a, b, c, False, False, 1.0, 0.0), a @ b, atol=1e-5)


def check_other_types(m):
    a, b = torch.randn(6, 9), torch.randn(9, 4)
    assert torch.allclose(m.dgemm(a.double(), b.double()), a.double() @ b.double())
    for dtype, bound in ((torch.half, 1e-2), (torch.bfloat16, 1e-1)):
        x, y = a.to(dtype), b.to(dtype)
        exact = x.float() @ y.float()
        assert torch.allclose(m.gemm_ex(x, y, True), exact, atol=1e-4)
        assert torch.allclose(m.gemm_ex(x, y, False).float(), exact, atol=bound, rtol=bound)
    half = m.hgemm(a.half(), b.half())
    assert torch.allclose(half.float(), a.half().float() @ b.half().float(), atol=1e-2, rtol=1e-2)


def check_batches(m):
    a, b = torch.randn(3, 4, 5), torch.randn(3, 5, 2)
    assert torch.allclose(m.strided(a, b), a @ b, atol=1e-5)
    assert torch.allclose(m.listed(a, b), a @ b, atol=1e-5)


def check_vectors(m):
    a, x = torch.randn(4, 6), torch.randn(6)
    assert torch.allclose(m.gemv(a, x, False), a @ x, atol=1e-5)
    z = torch.randn(4)
    assert torch.allclose(m.gemv(a, z, True), a.t() @ z, atol=1e-5)
    y = torch.randn(6)
    expected = y + 2.5 * x
    expected[::2] *= 2.5
    values = m.vectors(x, y)
    assert torch.allclose(y, expected, atol=1e-5)
    assert torch.allclose(values, torch.stack([x @ expected.flip(0), expected.abs().sum(),
                                               expected.norm()]), atol=1e-4)


def check_geam_transposes(m):
    x = torch.randn(5, 3)
    assert torch.equal(m.transposed(x), x.t())


def check_arguments_are_checked_as_documented(m):
    invalid, none, unsupported = m.statuses(torch.randn(4, 4), 3)
    assert (invalid, none, unsupported) == (7, 1, 15)  # INVALID_VALUE, NOT_INITIALIZED, NOT_SUPPORTED


def check_fault_beyond_a_matrix(m):
    assert m.too_wide(torch.randn(8, 8), 64) == 13  # EXECUTION_FAILED
    fault = km_cuda.fault()
    assert fault["kind"] == "illegal_address" and fault["reason"] == "bad_pointer", fault
    assert "cublasSgemm: B reaches beyond" in fault["message"], fault


def check_fault_of_host_memory(m):
    assert m.of_host(torch.randn(4, 4)) == 13
    assert km_cuda.fault()["reason"] == "wrong_space", km_cuda.fault()


def check_does_nothing_with_kernels_switched_off(m):
    km_cuda.configure(run_kernels=False)
    a, c = torch.randn(3, 3), torch.full((3, 3), 5.0)
    assert torch.equal(m.sgemm(a, a, c, False, False, 1.0, 0.0), torch.full((3, 3), 5.0))
    km_cuda.configure(run_kernels=True)
