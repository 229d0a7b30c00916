#!/usr/bin/env python3
"""Compares the speed of graph generation with that of NNSmith, in one run with one thread each.

    python3 -m venv nnsmith && nnsmith/bin/pip install "nnsmith[torch]==0.1.0" "hydra-core>=1.3"
    bench/run generation nnsmith/bin/python

Our time includes hashing and writing the PyTorch source; NNSmith's includes generation only. Graphs
have 10 operators. Times are processor times, which other work on the machine affects little.
"""

import pathlib
import sys

import loops

LOOP = loops.BUILD / "bench/generation_loops"
PEER = pathlib.Path(__file__).resolve().parent / "peers/nnsmith_graphs.py"
OURS, THEIRS = 10_000, 10


def main():
    goals = loops.Goals()
    if len(sys.argv) > 1:
        median, last = loops.rounds(5, {
            "kernelmill": lambda: loops.run(LOOP, OURS, 10, 1),
            "nnsmith": lambda: loops.run(sys.argv[1], PEER, THEIRS, 10, 1),
        })
        ours, theirs = median["kernelmill"] / OURS, median["nnsmith"] / THEIRS
        print(f"a graph of 10 operators: {1e6 * ours:.1f} µs, NNSmith {1e3 * theirs:.1f} ms with "
              f"{last['nnsmith']['operators'] / THEIRS:.1f} operators")
        goals.at_least("NNSmith's time over ours", theirs / ours, 1000)
    median, _ = loops.rounds(5, {
        operators: lambda operators=operators: loops.run(LOOP, 30_000 // operators, operators, 1)
        for operators in (10, 30, 100, 300)
    })
    each = {operators: seconds / 30_000 for operators, seconds in median.items()}
    print("an operator:", ", ".join(f"{1e6 * one:.2f} µs of {operators}"
                                    for operators, one in each.items()))
    goals.at_most("an operator of 300 against one of 30", each[300] / each[30], 1.5)
    tasks = loops.run(LOOP, 100_000, 0, 1)
    print(f"100,000 tasks of all levels: {tasks['seconds']:.2f} s, no two of one graph; "
          f"{tasks['indices'] - 100_000} indices were left out for that or had none")
    return 1 if goals.failed else 0


if __name__ == "__main__":
    sys.exit(main())
