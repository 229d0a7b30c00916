import os

import km_cuda

CHECKED = os.environ["KERNELMILL_BUILD_KIND"] == "memory"
LINES = open(__file__.replace(".py", ".cu"), encoding="utf-8").read().split("\n")


def run(m, what, wrong):
    """The findings of a run, with the fault that ended it."""
    km_cuda.reset()
    try:
        m.run(what, wrong)
    except RuntimeError as error:
        assert "CUDA error: " in str(error), error
    return km_cuda.findings() + ([km_cuda.fault()] if km_cuda.fault() else [])


WRONG = {"global": "GLOBAL", "allocated": "GLOBAL", "read": "READ", "shared": "SHARED",
         "dynamic": "DYNAMIC", "array": "ARRAY", "local": "LOCAL", "constant": "CONSTANT",
         "misaligned": "MISALIGNED", "freed": "FREED", "atomic": "ATOMIC", "barrier": "BARRIER",
         "narrow": "NARROW", "half": "HALF"}
UNDEFINED = {"misaligned", "narrow", "half"}


def check_twins_are_clean(m):
    for seed in (0, 3):
        km_cuda.configure(seed=seed)
        for what in WRONG:
            assert run(m, what, False) == [], what


def check_fault_each_is_found_with_its_line(m):
    if not CHECKED:
        return
    for what, marker in WRONG.items():
        found = run(m, what, True)
        assert found, what
        kind = "undefined_behaviour" if what in UNDEFINED else "out_of_bounds"
        for finding in found:
            assert finding["kind"] == kind, (what, finding)
            assert finding["file"] == "out_of_bounds.cu", (what, finding)
            assert f"// {marker}" in LINES[finding["line"] - 1], (what, finding)
