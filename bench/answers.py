#!/usr/bin/env python3
"""The processor time of a verified record: answers to generated tasks, and bugs put into them.

    bench/run answers [TASKS]     default 20, of levels 1 and 2

Runs `kernelmill sft` with empty caches, one task after the other. Each task gets two answers in
CUDA and two in MUSA, each with all checks, and one bug in each answer. The figures are seconds of
processor time per verified record, split by gate; an hour of one processor has 3,600 seconds. The
start of the workers is listed separately, because it does not depend on the number of tasks.
"""

import json
import os
import pathlib
import sys
import tempfile

from loops import ROOT
from processor_time import watched

sys.path.insert(0, str(ROOT / "tests/e2e"))
import verify_run  # noqa: E402
from program import BINARY  # noqa: E402

# Which parts of processor_time.Watch belong to which gate.
GATES = {
    "task, capture and right results": ("references",),
    "compile": ("compile plain", "device compiler"),
    "load, correctness": ("run", "run plain"),
    "sanitize, memory: compile": ("compile memory",),
    "sanitize, memory: run": ("run memory",),
    "sanitize, races: compile": ("compile races",),
    "sanitize, races: run": ("run races",),
    "counters: compile": ("compile counts",),
    "counters: run": ("run counts",),
    "forks": ("fork",),
    "program": ("program",),
}


def prepare():
    """Compiles the kernel runtime, which all answers share, into the checkout's cache."""
    with tempfile.TemporaryDirectory() as folder:
        checkout, samples = verify_run.lay_out(pathlib.Path(folder), ["honest/relu.md"])
        watched((BINARY, "verify", "--kernelbench", checkout, "--run", samples, "--sanitize", "all",
                 "--profile", "--no-cache"), {})


def sft(folder, environment, tasks):
    path = folder / "answers.yaml"
    path.write_text(json.dumps({"seed": 5, "sources": [],
                                "generate": {"count": tasks, "levels": [1, 2]}}))
    out, _, seconds = watched((BINARY, "sft", path, "--output", folder / f"out{tasks}", "--jobs", 1,
                               "--json", "--quiet"), environment)
    return json.loads(out), seconds


def main():
    tasks = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    prepare()
    with tempfile.TemporaryDirectory(dir=ROOT / ".cache") as folder:
        folder = pathlib.Path(folder)
        manifest, seconds = sft(folder, verify_run.own_root(folder), tasks)
    records = manifest["records"].get("candidate", 0)
    if records == 0:
        sys.exit("not one answer was verified")
    start = seconds.pop("start")
    total = sum(seconds.values())
    print(f"{tasks} tasks, {records} verified answers and mutants; seconds of processor time each:")
    for gate, parts in GATES.items():
        used = sum(seconds.pop(part, 0) for part in parts)
        print(f"  {gate:<34}{used / records:7.3f}  {100 * used / total:5.1f} %")
    assert not seconds, seconds
    print(f"  {'together':<34}{total / records:7.3f}")
    print(f"{total / tasks:.1f} s a task; the workers' start, once: {start:.1f} s")
    cores = os.cpu_count()
    print(f"verified records an hour on the {cores} processors of this machine: "
          f"{3600 * cores * records / total:.0f}")


if __name__ == "__main__":
    main()
