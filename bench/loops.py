"""Runs the loops of bench/*_loops.cc side by side and compares their medians."""

import json
import pathlib
import statistics
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/release"


def run(*command):
    """The JSON object that the command prints last. Other output is shown only on failure."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def peak_memory(*command):
    """The peak anonymous memory in KiB of the command and its children together, sampled every 5 ms.
    Pages of mapped files do not count, because the kernel can reclaim them."""
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        peak = max(peak, sum(map(_anonymous_kib, _family(process.pid))))
        time.sleep(0.005)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))} failed")
    return peak


def _family(pid):
    try:
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return [pid]
    return [pid] + [one for child in children for one in _family(int(child))]


def _anonymous_kib(pid):
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in status.splitlines() if line.startswith("RssAnon"))


def rounds(count, loops):
    """`loops`: {name: function giving {"seconds": …}}. Every round runs each loop once, so that
    other work on the machine affects all of them alike. Returns {name: median seconds} and
    {name: last result}."""
    seconds, last = {name: [] for name in loops}, {}
    for _ in range(count):
        for name, loop in loops.items():
            last[name] = loop()
            seconds[name].append(last[name]["seconds"])
    return {name: statistics.median(values) for name, values in seconds.items()}, last


class Goals:
    """Prints each measured figure next to its goal; `failed` counts the goals that were missed."""

    def __init__(self):
        self.failed = 0

    def at_least(self, what, value, goal):
        self._line(what, value, "≥", goal, value >= goal)

    def at_most(self, what, value, goal):
        self._line(what, value, "≤", goal, value <= goal)

    def _line(self, what, value, sign, goal, met):
        self.failed += not met
        print(f"{what}: {value:.2f} (goal {sign} {goal:g}){'' if met else '  MISSED'}", flush=True)
