import km_cuda
import torch

CONFIGURATION, VALUE = "cudaErrorInvalidConfiguration", "cudaErrorInvalidValue"


def expect(m, grid, block, shared, error):
    km_cuda.reset()
    name, runs = m.launch(torch.zeros(1), grid, block, shared)
    assert runs == float(error == "cudaSuccess"), (grid, block, shared, name, runs)
    if hasattr(km_cuda, "is_device"):
        # CUDA 13 reports all of them as invalid values.
        assert name in (error, VALUE), (grid, block, shared, name)
        return
    assert name == error, (grid, block, shared, name)
    fault = km_cuda.fault()
    assert (fault is None) == (error == "cudaSuccess"), fault
    if fault:
        assert fault["reason"] == "launch_limit" and "touch_kernel" in fault["message"]


def check_fault_block_sizes(m):
    for block in ([1024, 1, 1], [1, 1024, 1], [1, 1, 64], [32, 32, 1], [16, 1, 64]):
        expect(m, [1, 1, 1], block, 0, "cudaSuccess")
    for block in ([1025, 1, 1], [1, 1025, 1], [1, 1, 65], [32, 33, 1], [17, 1, 64], [0, 1, 1],
                  [1, 0, 1],
                  [1, 1, 0], [-1, 1, 1]):
        expect(m, [1, 1, 1], block, 0, CONFIGURATION)
    km_cuda.reset()


def check_fault_grid_sizes(m):
    for grid in ([70000, 1, 1], [1, 65535, 1], [1, 1, 65535]):
        expect(m, grid, [1, 1, 1], 0, "cudaSuccess")
    for grid in ([0, 1, 1], [1, 0, 1], [1, 1, 0], [1, 65536, 1], [1, 1, 65536], [1 << 31, 1, 1]):
        expect(m, grid, [1, 1, 1], 0, CONFIGURATION)
    km_cuda.reset()


def check_fault_shared_memory_unasked(m):
    expect(m, [1, 1, 1], [32, 1, 1], 49152, "cudaSuccess")
    expect(m, [1, 1, 1], [32, 1, 1], 49153, VALUE)
    km_cuda.reset()


def check_fault_shared_memory_asked_for(m):
    assert m.opted_in(torch.zeros(1), 163 * 1024) == ("cudaSuccess", "cudaSuccess", 1.0)
    allowed, got, runs = m.opted_in(torch.zeros(1), 228 * 1024)
    assert (allowed, got, runs) == (VALUE, VALUE, 0.0)
    km_cuda.reset()


def check_fault_shared_memory_is_allowed_for_one_kernel(m):
    done = "cudaSuccess"
    assert m.of_each_kernel(torch.zeros(1), 96 * 1024) == [done, VALUE, done, VALUE, done]
    km_cuda.reset()


def check_whole_static_shared_memory(m):
    assert m.static_limit(torch.zeros(1)) == 1.0


def check_fault_is_not_the_next_launchs(m):
    assert m.recovers(torch.zeros(1)) == 1.0
    km_cuda.reset()
