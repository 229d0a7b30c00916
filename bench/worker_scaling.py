#!/usr/bin/env python3
"""How the workers of a queue scale: the rate of verdicts of two workers against that of one.

    bench/run worker_scaling [ANSWERS [ROUNDS]]     default 24, 3

The answers are built before, and every run judges them under another seed, so that each verdict is
computed. Both workers have judged before; in every second run one of them is stopped. The time is from
the moment when all answers wait for the pool execute to the last verdict. What two processors give
depends on the machine and on other work there: the same is measured of two processes that only count,
before and after each run, and the goal is for the ratio of both.
"""

import multiprocessing
import os
import pathlib
import signal
import statistics
import sys
import tempfile
import time

from loops import ROOT, Goals

sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.path.insert(0, str(ROOT / "tests/cluster"))
import program  # noqa: E402
import redis  # noqa: E402
import verify_run  # noqa: E402

GOAL, COUNT_SECONDS = 1.9, 2
ANSWERS = ("honest/relu.md", "honest/row_sum.md", "specialised/fixed_sizes.py")


def lay_out(folder, count):
    """A checkout of KernelBench, and a run of it with `count` answers in different texts."""
    checkout, samples = verify_run.lay_out(
        folder, [ANSWERS[number % len(ANSWERS)] for number in range(count)])
    for path in samples.iterdir():
        path.write_text(f"{path.read_text()}\n# {path.stem}\n")
    return checkout, samples


class Queue:
    def __init__(self, server, environment, checkout, samples):
        self.server, self.checkout, self.samples = server, checkout, samples
        self.environment = {**os.environ, **environment}
        self.store = pathlib.Path(environment["KERNELMILL_ROOT"], ".cache/verdicts")
        self.seed = 0

    def worker(self, pool):
        return program.start("worker", pool, "--queue", self.server.url, env=self.environment)

    def lead(self):
        """Leads a run under a new seed, whose verdicts nobody knows."""
        self.seed += 1
        return program.start("verify", "--kernelbench", self.checkout, "--run", self.samples,
                             "--seed", self.seed, "--queue", self.server.url, env=self.environment)

    def kept(self):
        return len(list(self.store.glob("??/*.json")))


def stop(process, number):
    os.killpg(process.pid, number)
    if number == signal.SIGSTOP:
        time.sleep(2)  # The server may wait for a second before it answers a worker.


def rate(queue, workers, count):
    """Verdicts a second of these workers, which are stopped before and afterwards."""
    before, leader = queue.kept(), queue.lead()
    while len(queue.server.entries("execute")) < count:
        if leader.poll() is not None:
            sys.exit(leader.stderr.read())
        time.sleep(0.05)
    begun = time.monotonic()
    for worker in workers:
        stop(worker, signal.SIGCONT)
    while queue.kept() < before + count:
        time.sleep(0.005)
    passed = time.monotonic() - begun
    if leader.wait() != 0:
        sys.exit(leader.stderr.read())
    for worker in workers:
        stop(worker, signal.SIGSTOP)
    return count / passed


def count_up(seconds, results):
    number, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        for _ in range(10_000):
            number += 1
    results.put(number)


def counted(processes):
    """How far so many processes count together in a while."""
    results = multiprocessing.Queue()
    started = [multiprocessing.Process(target=count_up, args=(COUNT_SECONDS, results))
               for _ in range(processes)]
    for process in started:
        process.start()
    total = sum(results.get() for _ in started)
    for process in started:
        process.join()
    return total


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 24
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        checkout, samples = lay_out(folder, count)
        with redis.Server(folder / "redis") as server:
            queue = Queue(server, verify_run.own_root(folder), checkout, samples)
            processes = [queue.worker(pool) for pool in ("compile", "execute", "execute")]
            workers = processes[1:]
            try:
                if (leader := queue.lead()).wait() != 0:
                    sys.exit(leader.stderr.read())
                for worker in workers:
                    stop(worker, signal.SIGSTOP)
                rates, counts = {1: [], 2: []}, {1: [], 2: []}
                for _ in range(rounds):
                    for number in (1, 2):
                        counts[number].append(counted(number))
                        rates[number].append(rate(queue, workers[:number], count))
                        counts[number].append(counted(number))
            finally:
                for process in processes:
                    program.kill_group(process)
    one, two = (statistics.median(rates[number]) for number in (1, 2))
    print(f"verdicts a second: {one:.2f} by one worker, {two:.2f} by two")
    reached = two / one
    bare = statistics.median(counts[2]) / statistics.median(counts[1])
    print(f"two workers against one: {reached:.2f}; two processes that count against one: {bare:.2f}")
    goals = Goals()
    goals.at_least("two workers against one, where two processes that count give 2",
                   2 * reached / bare, GOAL)
    sys.exit(1 if goals.failed else 0)


if __name__ == "__main__":
    main()
