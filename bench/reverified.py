#!/usr/bin/env python3
"""Judges candidates of a dataset again, correct and wrong ones, from the dataset alone.

    .venv/bin/python bench/reverified.py DATASET [COUNT]

Takes COUNT candidates (default 200) at even distances, judges their code by `kernelmill verify
--tasks DATASET` with every check and an empty verdict store, and compares status and reason with
those in the dataset. Prints the outcomes and every difference; exits with 1 when there is one.
"""

import collections
import json
import os
import pathlib
import sys
import tempfile

import dataset_records
from loops import ROOT

sys.path.insert(0, str(ROOT / "tests/e2e"))
import program  # noqa: E402


def outcome(verdict):
    return verdict["status"], verdict["reason"] or ""


def judged(dataset, candidates, folder):
    """The new outcomes by candidate."""
    answers = folder / "answers.jsonl"
    with answers.open("w", encoding="utf-8") as file:
        for name, candidate in candidates.items():
            file.write(json.dumps({"id": name, "task": candidate["task"],
                                   "code": candidate["code"],
                                   "backend": candidate["backend"]}) + "\n")
    done = program.run("verify", "--tasks", dataset, "--candidates", answers, "--output", folder,
                       "--contract", "any_shape,any_layout", "--sanitize", "all", "--profile",
                       "--no-cache", "--jobs", os.cpu_count(),
                       timeout=None)
    if done.returncode != 0:
        sys.exit(done.stderr[-2000:])
    lines = (folder / "verdicts.jsonl").read_text(encoding="utf-8").splitlines()
    return {line["key"]: outcome(line["verdict"]) for line in map(json.loads, lines)}


def main():
    dataset = pathlib.Path(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    records = [record["payload"] for record in dataset_records.records(dataset, "candidate")]
    if not records:
        sys.exit(f"{dataset} has no candidates")
    step = max(1, len(records) / count)
    chosen = {str(number): records[int(number * step)]
              for number in range(min(count, len(records)))}
    with tempfile.TemporaryDirectory() as folder:
        now = judged(dataset, chosen, pathlib.Path(folder))
    same = collections.Counter()
    different = []
    for name, candidate in chosen.items():
        before, after = outcome(candidate["verdict"]), now.get(name, ("no verdict", ""))
        if before == after:
            same[before] += 1
        else:
            different.append((candidate["task"], candidate["bug"] or "answer", before, after))
    print(f"{len(chosen)} of {len(records)} candidates judged again, {sum(same.values())} alike:")
    for (status, reason), number in same.most_common():
        print(f"  {number:5}  {status}{reason and ': '}{reason}")
    for line in different:
        print("  differs:", *line)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
