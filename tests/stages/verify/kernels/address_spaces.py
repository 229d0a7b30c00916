import ctypes
import inspect
import os
import re

import km_cuda
import numpy
import torch
from torch.utils._python_dispatch import TorchDispatchMode

# Signals have line numbers only in builds with checks.
HAS_LINES = os.environ["KERNELMILL_BUILD_KIND"] != "plain"
TEXT = open(__file__.replace(".py", ".cu"), encoding="utf-8").read()
LINES = TEXT.split("\n")
RIGHT, WRONG = TEXT[TEXT.index("// Each of these"):], TEXT[:TEXT.index("// Each of these")]
HOST, KERNEL = WRONG.split("// Kernels access host memory.")


def names(text):
    return list(dict.fromkeys(re.findall(r'what == "(\w+)"', text)))


def begin(**options):
    """Starts as the judge does: C++ code that names no device creates tensors on the host."""
    km_cuda.configure(host_by_default=True, **options)
    km_cuda.reset()


def given():
    x = torch.randn(200)
    km_cuda.put_on_device(x)
    return x


def check_right_ones_are_clean(m):
    assert len(names(RIGHT)) >= 15
    for seed in (0, 5):
        for what in names(RIGHT):
            begin(seed=seed)
            x = given()
            wanted = 2 * x
            assert torch.equal(m.right(what, x), wanted), what
            assert km_cuda.fault() is None, (what, km_cuda.fault())


def check_sizes_on_the_host(m):
    assert m.host_sizes(torch.tensor([3, 4, 5])) == 60
    sizes = given().long()
    m.host_sizes(sizes)
    km_cuda.reset()
    # Memory that is explicitly copied to the host may be read there.
    x = given().long()
    km_cuda.put_on_device(x)
    m.host_sizes(km_cuda.to_host(x))
    assert km_cuda.fault() is None


def reached(function):
    """How many bytes of device memory reach host code in a call."""
    before = km_cuda.bytes_to_host()
    km_cuda.call(function)
    assert km_cuda.fault() is None, km_cuda.fault()
    return km_cuda.bytes_to_host() - before


def check_bytes_to_host(m):
    x, size = given(), 4 * 200
    held, array = torch.zeros(200), numpy.zeros(200, numpy.float32)
    km_cuda.put_on_host(held)
    for function, wanted in [
            (lambda: x + x, 0), (lambda: x.mul_(2.0), 0), (lambda: x.copy_(held), 0),
            (lambda: torch.from_numpy(array).to("cpu") + 1.0, 0), (lambda: held.tolist(), 0),
            (lambda: held.view_as(x), 0), (lambda: torch.zeros_like(x), 0),
            (lambda: x[3].item(), 4), (lambda: bool(x[3] > 0), 1), (lambda: float(x[3]), 4),
            (lambda: km_cuda.to_host(x), size), (lambda: km_cuda.to_host(x[2:5]), 12),
            (lambda: km_cuda.to_host((x + x)[:4]).tolist(), 16),
            (lambda: km_cuda.to_host(km_cuda.to_device(held)), size),
            (lambda: held.copy_(x), size), (lambda: torch.add(x, x, out=held), size),
            (lambda: torch.from_numpy(array).copy_(x), size),
            (lambda: torch.frombuffer(bytearray(size), dtype=torch.float32).copy_(x), size),
            (lambda: x.tolist(), size), (lambda: x.clone().tolist(), size),
            (lambda: x[:4].to("cpu").tolist(), 16), (lambda: km_cuda.put_on_host(x.clone()), size)]:
        km_cuda.reset()
        km_cuda.put_on_device(x)
        assert reached(function) == wanted, (inspect.getsource(function), reached(function))
    begin()
    for what, wanted in [("add", 0), ("item", 8), ("cpu", size), ("copied", size + 4),
                         ("tensor_of_list", 0), ("tensor_on_device", 0), ("made_on_device", 0),
                         ("moved", 0), ("from_blob", 0), ("filled", 0), ("filled_and_copied", 0),
                         ("managed", 0), ("pinned", 0), ("symbols", 4), ("pointers", 0),
                         ("managed_result", size), ("default_kind", size), ("into_blob", size)]:
        x = given()
        wanted_values = 2 * x
        results = []
        count = reached(lambda: results.append(m.right(what, x)))
        assert count == wanted, (what, count)
        assert torch.equal(results[0], wanted_values), what


def check_fault_of_python(m):
    x = given()
    shared = numpy.from_dlpack(x)
    for function in (lambda: shared.sum(), lambda: bytes(memoryview(shared)),
                     lambda: ctypes.string_at(x.data_ptr(), 4)):
        km_cuda.reset()
        km_cuda.call(function)
        fault = km_cuda.fault()
        assert fault and fault["message"].startswith("Python, or a library"), fault
    # What only has the name of an operator is none.
    km_cuda.reset()

    def within_record():
        record = torch._C._autograd._record_function_with_args_enter("aten::add")
        shared.sum()
        torch._C._autograd._record_function_with_args_exit(record)

    km_cuda.call(within_record)
    assert km_cuda.fault()


def check_python_within_an_operator(m):
    x = given()
    shared = numpy.from_dlpack(x)

    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            shared.sum()
            return func(*args, **(kwargs or {}))

    def within_mode():
        with Mode():
            x.add_(1.0)

    # Torch's code has called it, so that the access counts instead.
    assert reached(within_mode) == 800


def check_fault_of_host_code(m):
    for what in names(HOST):
        begin()
        x = given()
        before = x.clone()
        m.host_wrong(what, x)
        fault = km_cuda.fault()
        assert fault and (fault["kind"], fault["reason"]) == ("illegal_address",
            "wrong_space"), what
        assert "host code of host_wrong()" in fault["message"], fault
        assert ("writes" in fault["message"]) == (what in ("writes_input", "writes_result",
                                                           "allocated", "symbol")), (what,
                                                                                     fault)
        if HAS_LINES:
            assert LINES[fault["line"] - 1].endswith("// " + what), (what, fault)
        # The next call starts without findings.
        km_cuda.reset()
        assert torch.equal(m.right("add", before), 2 * before) and km_cuda.fault() is None


def check_fault_of_kernels(m):
    for what in names(KERNEL):
        begin()
        try:
            m.kernel_wrong(what, given())
        except RuntimeError as error:
            assert "CUDA error: " in str(error), error
        else:
            raise AssertionError(what + " ended well")
        fault = km_cuda.fault()
        assert (fault["kind"], fault["reason"]) == ("illegal_address", "wrong_space"), (what, fault)
        if what == "malloc" and not fault["line"]:
            continue  # Checks for races see an access of the executor's own, which has no line.
        assert ("writes" in fault["message"]) == (what == "out"), (what, fault)
        # The line of the access or, if it is unknown, that of the launch.
        marker = LINES[fault["line"] - 1].rpartition("// ")[2]
        assert marker in ("SCALE", "GATHER", "COUNT", "ROWS", "ADD"), (what, fault)
        # Atomic accesses are made by the executor's own code, which has no line, and checks for races
        # find a pointer among pointers by its access before there is a fault.
        if what not in ("malloc", "pointers"):
            assert HAS_LINES == ("<<<" not in LINES[fault["line"] - 1]), (what, fault)


def check_kinds_of_copies_are_checked(m):
    x = given()
    for what in ("copied", "copied_into_tensor", "pointers"):
        assert torch.equal(m.right(what, x), 2 * x)
    assert km_cuda.fault() is None
