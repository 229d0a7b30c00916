#!/usr/bin/env python3
"""What the queue of `verify --queue` costs: processor time per verdict, of answers that cost nothing to
judge.

    bench/run verdict_queue [ANSWERS]     default 1000

The answers are no UTF-8, so that judging one ends before anything runs. A run with a few of them, whose
time is that of starting, is subtracted from one with all of them. The time is that of the command that
leads, one worker of each pool, one after the other, and the Redis server. The same answers are judged without a queue too: the
difference is what the queue costs, and the rest is the plan, the verdict store and verdicts.jsonl.
"""

import os
import pathlib
import sys
import tempfile
import time

from loops import ROOT, Goals
from processor_time import seconds_of

sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.path.insert(0, str(ROOT / "tests/cluster"))
import program  # noqa: E402
import redis  # noqa: E402
import verify_run  # noqa: E402

FEW, MOST_MILLISECONDS = 16, 2.0


def lay_out(folder, count):
    """A checkout of KernelBench, and a run of it with `count` answers that are no UTF-8."""
    checkout, samples = verify_run.lay_out(folder, ["honest/relu.md"])
    for path in samples.iterdir():
        path.unlink()
    for number in range(count):
        path = samples / f"level_1_problem_1_sample_{number}_kernel.py"
        path.write_bytes(b"\xff %d" % number)
    return ["verify", "--kernelbench", checkout, "--run", samples, "--seed", 42]


def ended(process):
    """Waits, and returns the processor seconds of the process and its children."""
    messages = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(messages)
    return usage.ru_utime + usage.ru_stime


def measure(count):
    """{part: processor seconds} for so many answers."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        environment = {**os.environ, **verify_run.own_root(folder)}
        words = lay_out(folder / "alone", count)
        times = {"alone": ended(program.start(*words, env=environment))}
        for path in pathlib.Path(environment["KERNELMILL_ROOT"]).glob(".cache/verdicts/??/*"):
            path.unlink()
        words = lay_out(folder / "queue", count)
        with redis.Server(folder / "redis") as server:
            leader = program.start(*words, "--queue", server.url, env=environment)
            while not server.key("compile"):
                time.sleep(0.1)
            for pool in ("compile", "execute"):
                times[pool] = ended(program.start("worker", pool, "--queue", server.url, "--idle",
                                                  1, env=environment))
            times["leader"] = ended(leader)
            times["redis"] = seconds_of(server.process.pid)
        return times


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    few, many = measure(FEW), measure(count + FEW)
    each = {part: 1e3 * (many[part] - few[part]) / count for part in many}
    for part, milliseconds in each.items():
        print(f"{part}: {milliseconds:.2f} ms of processor time a verdict")
    goals = Goals()
    goals.at_most("the queue, in ms a verdict", sum(each.values()) - 2 * each["alone"],
                  MOST_MILLISECONDS)
    sys.exit(1 if goals.failed else 0)


if __name__ == "__main__":
    main()
