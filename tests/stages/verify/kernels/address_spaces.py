import os
import re

import km_cuda
import torch

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
    km_cuda.share(x)
    m.host_sizes(x)
    assert km_cuda.fault() is None


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
                                                           "allocated")), (what, fault)
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
        assert ("writes" in fault["message"]) == (what == "out"), (what, fault)
        # The line of the access or, if it is unknown, that of the launch.
        marker = LINES[fault["line"] - 1].rpartition("// ")[2]
        assert marker in ("SCALE", "GATHER", "COUNT", "ROWS", "ADD"), (what, fault)
        # Atomic accesses are made by the executor's own code, which has no line.
        if what != "malloc":
            assert HAS_LINES == ("<<<" not in LINES[fault["line"] - 1]), (what, fault)


def check_kinds_of_copies_are_checked(m):
    x = given()
    for what in ("copied", "copied_into_tensor", "pointers"):
        assert torch.equal(m.right(what, x), 2 * x)
    assert km_cuda.fault() is None
