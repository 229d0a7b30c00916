import km_cuda
import torch


def check_copies_of_rows(m):
    x = torch.randn(7, 30)
    row = torch.arange(7.0)[:, None]
    assert torch.equal(m.pitched(x, True), 2 * x + row)
    assert torch.equal(m.pitched(x, False), row.expand(7, 30))


def check_symbols_offsets_and_structures(m):
    for _ in range(2):
        y, single, counters = m.symbols(torch.zeros(1))
        filter = [1, 2, 50, 60] + [0] * 12
        assert y.tolist() == [0.5 * t + [10, 20, 30][t % 3] + 0.25 + filter[t] for t in range(16)]
        assert single.item() == 5.0 and counters.tolist() == [11, 4, 4]


def check_events_between_streams(m):
    x = torch.randn(500)
    assert torch.allclose(m.events(x), x + 3)


def check_streams_of_torch(m):
    x = torch.randn(100)
    assert torch.allclose(m.torch_streams(x), x + 7)


def check_memory_of_both_sides(m):
    n = 40
    assert m.managed(n) == [
        sum(i + 0.5 for i in range(n)), sum(i * (i % 4 + 1) for i in range(n)),
        sum(i * [100, 2, 3, 4][i % 4] for i in range(5)), 1.0, 1.0]


def check_what_is_free(m):
    taken, difference, more = m.memory_info()
    assert taken == 64 and difference == 0 and more == 1


def check_copies_in_all_directions(m):
    x = torch.randn(64)
    assert torch.equal(m.copies(x), torch.cat([torch.zeros(32), x[32:]]))


def check_names_of_errors(m):
    assert m.error_names() == [
        "cudaSuccess|no error", "cudaErrorInvalidValue|invalid argument",
        "cudaErrorMemoryAllocation|out of memory",
        "cudaErrorInvalidConfiguration|invalid configuration argument",
        "cudaErrorInvalidDevice|invalid device ordinal",
        "cudaErrorInvalidSymbol|invalid device symbol",
        "cudaErrorInvalidMemcpyDirection|invalid copy direction for memcpy",
        "cudaErrorNotReady|device not ready",
        "cudaErrorIllegalAddress|an illegal memory access was encountered",
        "cudaErrorLaunchOutOfResources|too many resources requested for launch",
        "cudaErrorLaunchTimeout|the launch timed out and was terminated",
        "cudaErrorAssert|device-side assert triggered",
        "cudaErrorMisalignedAddress|misaligned address",
        "cudaErrorLaunchFailure|unspecified launch failure",
        "cudaErrorNotSupported|operation not supported",
        "cudaErrorInvalidResourceHandle|invalid resource handle",
        "cudaErrorNoDevice|no CUDA-capable device is detected",
        "cudaErrorInvalidDeviceFunction|invalid device function", "cudaErrorUnknown|unknown error",
        "cudaErrorInvalidPitchValue|invalid pitch argument",
        "cudaErrorInvalidDevicePointer|invalid device pointer"]


def check_occupancy_and_attributes(m):
    assert m.occupancy() == [1] * 6


def check_shared_memory_that_is_asked_for(m):
    wanted = [3.0 * (127 - t) for t in range(128)]
    for size in (49152, 65536, 99 * 1024, 160 * 1024):
        assert m.large_shared(torch.zeros(1), size).tolist() == wanted


def check_launches_by_function(m):
    x = torch.randn(150)
    assert torch.allclose(m.by_function(x), x + 3)
    launches = km_cuda.launches()
    assert not launches or [launch["kernel"] for launch in launches] == ["add_kernel"] * 2
