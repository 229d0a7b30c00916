import os

import km_cuda
import torch


def check_buffers_streams_and_events(m):
    x = torch.randn(1000)
    assert torch.equal(m.through_buffers(x), 4 * x + 1)


def check_fresh_memory_is_nan(m):
    fresh, half_set = m.fresh_memory(64)
    assert fresh.isnan().all()
    assert (half_set[:32] == 0).all() and half_set[32:].isnan().all()


def check_errors_of_misuse(m):
    invalid = "cudaErrorInvalidValue"
    assert m.errors() == [invalid] * 6 + ["cudaErrorInvalidDevice"] * 2 + ["cudaSuccess"] * 2


def check_fault_of_refused_launches(m):
    for grid, block, shared in ((1, 1025, 0), (0, 32, 0), (1, 0, 0)):
        km_cuda.reset()
        assert m.refused(grid, block, shared) == "invalid configuration argument"
        fault = km_cuda.fault()
        assert fault["reason"] == "launch_limit" and "twice_kernel" in fault["message"]
    km_cuda.reset()
    assert m.refused(1, 32, 50000) == "invalid argument"
    km_cuda.reset()
    assert m.refused(1, 32, 49152) == "no error" and km_cuda.fault() is None
    try:
        m.checked(2000)
    except RuntimeError as error:
        assert "CUDA error: invalid configuration argument" in str(error)
    else:
        raise AssertionError("the launch check passed")


def check_queries(m):
    # Builds with checks have the most multiprocessors that a device has.
    count = 188 if os.environ["KERNELMILL_BUILD_KIND"] in ("memory", "races") else 108
    assert m.queries() == [0, 1, 49152, 8, 2 * count, 1024, 32, 1024, count]
