#!/usr/bin/env python3
"""Compares how often operators occur in generated tasks and in KernelBench's problems.

    ./kernelmill generate --coverage KernelBench --json > coverage.json
    ./kernelmill generate --count 20000 --seed 1 --json | bench/operator_shares.py coverage.json

The share of an operator is the share of tasks or problems that contain it; our levels are weighted
in KernelBench's proportions. Prints every operator of at least COMMON problems with both counts by
level, and exits with 1 when one of our shares differs by more than a factor of two.
"""

import collections
import json
import sys

COMMON = 5  # Of 270 problems. With fewer, a single problem more or less changes the share too much.
LEAST, MOST = 0.5, 2.0

# Rows of the operator table that have one name in PyTorch, or that torch turns into each other: relu6
# calls hardtanh; x[:, 0] and x[:, :n] are both __getitem__.
ONE_NAME = {"slice": "getitem", "select": "getitem", "narrow": "getitem", "index": "getitem",
            "relu6": "hardtanh", "clamp_min": "clamp", "clamp_max": "clamp", "rsub": "sub",
            "maximum": "max", "amax": "max", "minimum": "min", "amin": "min", "square": "pow",
            "triu": "tril"}
# A number as a tensor is not an operator of a graph.
LEFT_OUT = {"tensor"}


def name(row):
    for suffix in ("_scalar", "_dim", "_with_sizes"):
        row = row.removesuffix(suffix)
    return ONE_NAME.get(row, row)


def names(task):
    return {name(row) for row in task["operators"]} - LEFT_OUT


def counts_by_level(tasks):
    """{level: Counter of names}, {level: tasks}."""
    found, all_of = collections.defaultdict(collections.Counter), collections.Counter()
    for task in tasks:
        all_of[task["level"]] += 1
        found[task["level"]].update(names(task))
    return found, all_of


def compare(problems, tasks):
    """[(name, its problems, as many of ours, [(problems, ours) by level])], the most frequent first;
    "as many of ours" is of as many tasks as there are problems."""
    theirs, problems_of = counts_by_level(problems)
    ours, tasks_of = counts_by_level(tasks)
    lines = []
    for one in set().union(*theirs.values(), *ours.values()):
        levels = [(theirs[level][one], ours[level][one] * count / max(tasks_of[level], 1))
                  for level, count in sorted(problems_of.items())]
        lines.append((one, sum(level[0] for level in levels), sum(level[1] for level in levels), levels))
    return sorted(lines, key=lambda line: (-line[1], -line[2], line[0]))


def main():
    problems = json.loads(open(sys.argv[1], encoding="utf-8").read())["problems"]
    lines = compare(problems, map(json.loads, sys.stdin))
    apart = 0
    print(f"{'operator':30} KernelBench  ours  times  by level: KernelBench/ours")
    for one, theirs, ours, levels in lines:
        if theirs < COMMON:
            continue
        off = not LEAST <= ours / theirs <= MOST
        apart += off
        print(f"{one:30} {theirs:11} {ours:5.1f} {ours / theirs:6.2f}  "
              + "  ".join(f"{a}/{b:.1f}" for a, b in levels) + ("  APART" if off else ""))
    common = sum(line[1] >= COMMON for line in lines)
    print(f"{common - apart} of {common} operators of {COMMON} problems or more are within a factor of "
          f"{MOST:g}")
    print("in twice as many of ours and more, of those in fewer problems:",
          ", ".join(f"{one} {ours:.0f}/{theirs}" for one, theirs, ours, _ in
                    sorted(lines, key=lambda line: -line[2])
                    if theirs < COMMON and ours >= 2 * COMMON and ours > 2 * theirs))
    return 1 if apart else 0


if __name__ == "__main__":
    sys.exit(main())
