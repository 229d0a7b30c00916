import os

import km_cuda

# Signals have line numbers only in builds with checks.
HAS_LINES = os.environ["KERNELMILL_BUILD_KIND"] != "plain"
LINES = open(__file__.replace(".py", ".cu"), encoding="utf-8").read().split("\n")


def fault_of(m, what, **options):
    km_cuda.reset()
    if options:
        km_cuda.configure(**options)
    try:
        m.run(what)
    except RuntimeError as error:
        assert "CUDA error: " in str(error), error
    else:
        raise AssertionError("it ended well")
    return km_cuda.fault()


def at(fault, marker):
    assert fault["file"] == "faults.cu" and marker in LINES[fault["line"] - 1], fault


def check_fault_deadlock(m):
    fault = fault_of(m, "missing")
    assert (fault["kind"], fault["reason"]) == ("timed_out", "deadlock")
    assert "8 in the warp operation" in fault["message"]
    at(fault, "MISSING")
    # Meanwhile other threads spin until their step budget is spent.
    fault = fault_of(m, "deadlock", step_budget=200_000)
    assert (fault["kind"], fault["reason"]) == ("undecided", "step_budget")


def check_fault_step_budget(m):
    fault = fault_of(m, "endless", step_budget=100_000)
    assert (fault["kind"], fault["reason"]) == ("undecided", "step_budget")
    at(fault, "ENDLESS")


def check_fault_bad_pointer(m):
    fault = fault_of(m, "null")
    assert fault["reason"] in ("bad_pointer", "impossible_code"), fault
    if HAS_LINES:
        at(fault, "null_kernel")


def check_fault_trap_and_assert(m):
    at(fault_of(m, "trap"), "TRAP")
    fault = fault_of(m, "assert")
    assert fault["kind"] == "crashed" and "n < 3" in fault["message"]
    at(fault, "ASSERT")


def check_fault_division(m):
    fault = fault_of(m, "divide")
    assert fault["reason"] == "integer_division"
    if HAS_LINES:
        at(fault, "100 / n")


def check_fault_stack(m):
    assert fault_of(m, "recursion")["reason"] in ("stack_overflow", "bad_pointer")


def check_findings(m):
    for what, reason, marker in (("divergent", "divergent_barrier", "DIVERGENT"),
                                 ("exited", "exited_before_barrier", "EXITED")):
        km_cuda.reset()
        assert m.run(what).sum() > 0
        (finding,) = km_cuda.findings()
        assert finding["reason"] == reason
        at(finding, marker)


def check_fault_is_over_after_reset(m):
    fault_of(m, "trap")
    km_cuda.reset()
    assert km_cuda.fault() is None and km_cuda.launches() == []
    m.run("exited")
    assert km_cuda.launch_count() == 1
