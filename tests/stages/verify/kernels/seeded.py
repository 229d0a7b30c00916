"""Shared by the topics with seeded bugs: each bug has a correct twin of similar name."""

import os
import re

import km_cuda

KIND = os.environ.get("KERNELMILL_BUILD_KIND", "plain")


def found_by(m, what, wrong):
    """The findings of a kernel's run, with the fault that ended it."""
    km_cuda.reset()
    try:
        m.run(what, wrong)
    except RuntimeError as error:
        assert "CUDA error: " in str(error), error
    found = km_cuda.findings() + ([km_cuda.fault()] if km_cuda.fault() else [])
    km_cuda.reset()
    return found


def check_twins(m, names, seeds=(0, 3)):
    for seed in seeds:
        km_cuda.configure(seed=seed, step_budget=1_000_000)
        for what in names:
            found = found_by(m, what, False)
            assert found == [], (what, found)


def check_bugs(m, path, bugs, seeds=(0, 3)):
    """`bugs`: name -> the reasons that its findings may have. Lines that findings name end with "//
    NAME". A race names two lines, one of which may be another line of the kernel."""
    topic = os.path.basename(path).replace(".py", ".cu")
    lines = open(path.replace(".py", ".cu"), encoding="utf-8").read().split("\n")
    for seed in seeds:
        km_cuda.configure(seed=seed, step_budget=1_000_000)
        for what, reasons in bugs.items():
            found = found_by(m, what, True)
            assert found, (what, seed)
            places = []
            for finding in found:
                assert finding["reason"] in reasons, (what, finding)
                assert finding["file"] == topic, (what, finding)
                places.append(finding["line"])
                places += [int(line) for line in re.findall(r"in line (\d+)", finding["message"])]
            marked = [lines[line - 1].endswith("// " + what.upper()) for line in places]
            one_of_two = any(finding["kind"] == "race" for finding in found)
            assert any(marked) if one_of_two else all(marked), (what, seed, found)
