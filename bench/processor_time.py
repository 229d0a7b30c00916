"""Measures processor time and resident memory of a program and its child processes, by part."""

import collections
import os
import pathlib
import re
import subprocess
import threading

TICK, PAGE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGESIZE")
LOOK_SECONDS = 0.02
# How the compiler's command line shows the kind of build of a candidate's kernels.
KINDS = {b"-fsanitize=address": "memory", b"-DKERNELMILL_COUNT_ACCESSES": "counts",
         b"-DKERNELMILL_TRACE_ACCESSES": "races"}
RUNTIME = re.compile(rb"runtime-[0-9a-f]{32}")


def seconds_of(pid):
    """The processor seconds of a process that runs, without its children."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


class Watch(threading.Thread):
    """Samples every 20 ms. `end()` returns {part: seconds}:

    "program"          the program itself
    "compile KIND"     compiler and linker of candidates' kernels, as far as they were sampled
    "device compiler"  NVRTC, as far as it was sampled
    "start"            workers until their first request
    "fork"             the workers themselves from then on
    "references"       forks that run references: admission, capture, expected results
    "run KIND"         forks that run candidates, by the build that they loaded; "run" before

    bubblewrap does not report its child's time, so its children are counted by samples. The time of a
    worker's forks comes from the worker; samples decide how the forks share it.
    `resident`: the peak memory of one process of "program", "references" and "candidates", in bytes.
    """

    def __init__(self, pid):
        super().__init__(daemon=True)
        self._pid, self._ended = pid, threading.Event()
        self._seconds = {}   # (part, process): seconds.
        self._workers = {}   # Process: its role, time until its first fork, own time, time of forks.
        self._forks = collections.defaultdict(collections.Counter)  # Worker: {part: samples}.
        self._kinds = {}     # A runtime's folder: kind of build.
        self.resident = {}
        self.start()

    def run(self):
        while not self._ended.wait(LOOK_SECONDS):
            self._look(self._pid, None, None)

    def _look(self, pid, part, worker):
        try:
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            children = [int(child) for task in pathlib.Path(f"/proc/{pid}/task").iterdir()
                        for child in (task / "children").read_text().split()]
        except OSError:
            return
        own, forks = ((int(fields[i]) + int(fields[i + 1])) / TICK for i in (11, 13))
        if pid == self._pid:
            part = "program"
        elif part == "program":
            part = self._part_of(words)
        sandbox = words[0].endswith((b"/bwrap", b"/prlimit"))
        if part not in ("references", "candidates"):
            self._seconds[part, pid] = own
        elif worker is not None:
            self._forks[worker][self._part_of_fork(pid, part)] += 1
        elif not sandbox:
            worker = pid
            known = self._workers.setdefault(pid, [part, None, 0, 0])
            known[2:] = own, forks
            if children and known[1] is None:
                known[1] = own
        self.resident[part] = max(self.resident.get(part, 0), int(fields[21]) * PAGE)
        for child in children:
            self._look(child, part, worker)

    def _part_of(self, words):
        """The part that a child process belongs to."""
        if any(word.endswith(b"worker.py") for word in words):
            seen = any(b".cache/extensions" in word for word in words)
            return "candidates" if seen else "references"
        if any(word.endswith(b"compile_device") for word in words):
            return "device compiler"
        kind = next((kind for flag, kind in KINDS.items() if flag in words), "plain")
        for runtime in RUNTIME.findall(b" ".join(words)):
            self._kinds[runtime] = kind
        return "compile " + kind

    def _part_of_fork(self, pid, part):
        if part == "references":
            return part
        try:
            loaded = RUNTIME.search(pathlib.Path(f"/proc/{pid}/maps").read_bytes())
        except OSError:
            loaded = None
        return "run " + self._kinds.get(loaded[0], "plain") if loaded else "run"

    def end(self):
        self._ended.set()
        self.join()
        seconds = collections.Counter()
        for (part, _), used in self._seconds.items():
            seconds[part] += used
        for pid, (whose, start, own, forks) in self._workers.items():
            start = own if start is None else start
            seconds["start"] += start
            seconds["fork"] += own - start
            seen = self._forks[pid] or {"references" if whose == "references" else "run": 1}
            for part, times in seen.items():
                seconds[part] += forks * times / sum(seen.values())
        return dict(seconds)


def watched(command, environment):
    """Runs a command that has to succeed; returns (standard output, the Watch, its seconds)."""
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, env={**os.environ, **environment})
    watch = Watch(process.pid)
    out, err = process.communicate()
    seconds = watch.end()
    if process.returncode != 0:
        raise SystemExit(err[-2000:])
    return out, watch, seconds
