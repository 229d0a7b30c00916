#!/usr/bin/env python3
"""Kills parts of runs on a cluster at random, and compares the datasets with those of one process.

    bench/run cluster_kills [--seed N] [--kills N]     default seed 1, 20 kills

A Slurm cluster with three nodes and a Redis server are started on this machine (tests/cluster). `sft` and
`rft` take turns: both have their steps done by array jobs, and the samples of `rft` are judged by workers of
the queue. Now and then one of these is killed: the command that leads, a node with all that runs on it, a
worker, the Redis server, which loses its memory. Runs follow each other until there were enough kills. Each dataset
must have the Merkle root and the counts that one process gives, and pass an audit.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import sys
import tempfile
import time

from loops import ROOT

sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.path.insert(0, str(ROOT / "tests/cluster"))
import kills  # noqa: E402
import program  # noqa: E402
import redis  # noqa: E402
import repository  # noqa: E402
import rft_test  # noqa: E402
import slurm  # noqa: E402
import verify_run  # noqa: E402

PAUSE = (2, 12)  # Seconds before a kill.
PARTITIONS = 6


def configurations(folder):
    """{recipe: its configuration}."""
    source = repository.sample_repository(folder / "source", files=2).folder
    rft_test.write_samples(folder / "samples.jsonl", rft_test.plain, [rft_test.MALFORMED])
    tasks = rft_test.write_tasks(folder / "tasks.jsonl")
    texts = {
        "sft": {"sources": [{"git": str(source)}], "generate": {"count": 3, "levels": [1]},
                "answer": program.ANSWERS, "perturb": {"mutants": 1}},
        "rft": {"tasks": [{"file": str(tasks)}],
                "samples": [{"file": str(folder / "samples.jsonl")}]}}
    paths = {}
    for recipe, keys in texts.items():
        paths[recipe] = folder / f"{recipe}.yaml"
        paths[recipe].write_text(json.dumps({"seed": 7, "partitions": PARTITIONS, **keys}))
    return paths


class Bench:
    def __init__(self, folder, cluster, server):
        self.folder, self.cluster, self.server = folder, cluster, server
        self.environment = {**cluster.environment, **verify_run.own_root(folder)}
        self.configurations = configurations(folder)
        self.workers = {}

    def forget_verdicts(self):
        for path in (self.folder / "root/.cache/verdicts").glob("??/*"):
            path.unlink()

    def build_alone(self, recipe):
        """What `rft` or `sft` without an executor publishes."""
        output = self.folder / f"{recipe}-alone"
        done = program.run(recipe, self.configurations[recipe], "--output", output, "--quiet",
                           "--jobs", 1, environment=self.environment)
        if done.returncode != program.DONE:
            sys.exit(done.stderr)
        return self.published(output)

    @staticmethod
    def published(output):
        manifest = json.loads((output / "manifest.json").read_text())
        return manifest["merkle_root"], manifest["counts"]

    def start_worker(self, pool):
        self.workers[pool] = program.start("worker", pool, "--queue", self.server.url, "--lease",
                                           "10", "--quiet", env=self.environment)

    def kill_worker(self, pool):
        self.end_worker(pool)
        self.start_worker(pool)

    def end_worker(self, pool):
        worker = self.workers.pop(pool)
        program.kill_group(worker)
        worker.wait()
        worker.stderr.close()

    def kill_node(self, node):
        self.cluster.kill_node(node)
        self.cluster.start_node(node)

    def kill_server(self):
        self.server.kill()
        self.server.start()

    def victims(self, recipe):
        parts = {f"node {node}": lambda node=node: self.kill_node(node) for node in slurm.NODES}
        if recipe == "rft":
            parts |= {f"worker {pool}": lambda pool=pool: self.kill_worker(pool)
                      for pool in ("compile", "execute")}
            parts["redis"] = self.kill_server
        return parts

    def build(self, recipe, output, count, chance):
        """Builds a dataset while parts are killed. Returns what is published, and what was killed."""
        options = ("--queue", self.server.url) if recipe == "rft" else ()

        def lead():
            return program.start(recipe, self.configurations[recipe], "--output", output, "--quiet",
                                 "--executor", "slurm", *options, env=self.environment)

        leader, killed = kills.during(lead, self.victims(recipe), count, chance, PAUSE)
        messages = leader.stderr.read()
        if leader.wait() != program.DONE:
            sys.exit(f"{recipe}, after {killed}:\n{messages}\n{self.cluster.logs()}")
        done = program.run("audit", output)
        if done.returncode != program.DONE:
            sys.exit(done.stdout + done.stderr)
        return self.published(output), killed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=int, default=20)
    arguments = parser.parse_args()
    if problem := redis.why_not() or slurm.why_not():
        sys.exit(problem)
    chance, total, runs, begun = random.Random(arguments.seed), collections.Counter(), 0, time.time()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        with slurm.Cluster(folder / "slurm") as cluster, redis.Server(folder / "redis") as server:
            bench = Bench(folder, cluster, server)
            expected = {recipe: bench.build_alone(recipe) for recipe in bench.configurations}
            for pool in ("compile", "execute"):
                bench.start_worker(pool)
            try:
                while (left := arguments.kills - sum(total.values())) > 0:
                    recipe = ("sft", "rft")[runs % 2]
                    bench.forget_verdicts()
                    found, killed = bench.build(recipe, folder / f"{recipe}-{runs}", left, chance)
                    print(f"{recipe}: {len(killed)} kills ({', '.join(killed)}): "
                          + ("equal" if found == expected[recipe] else "DIFFERENT"), flush=True)
                    if found != expected[recipe]:
                        sys.exit(1)
                    total.update(one.split()[0] for one in killed)
                    runs += 1
            finally:
                for pool in list(bench.workers):
                    bench.end_worker(pool)
    parts = ", ".join(f"{name} {count}" for name, count in sorted(total.items()))
    print(f"{sum(total.values())} kills ({parts}) in {runs} runs, {(time.time() - begun) / 60:.0f} "
          "minutes: every dataset is that of one process")


if __name__ == "__main__":
    main()
