#!/usr/bin/env python3
"""Makes the tables of benchmarks, and measures what they keep out and what they should not.

    bench/run decontamination tables CHECKOUTS [NAME …]   writes corpora/benchmarks/NAME.tsv again
    bench/run decontamination copies CHECKOUTS [NAME [COUNT]]   default kernelbench, 40
    bench/run decontamination unrelated TASKS             tasks that are of no benchmark

CHECKOUTS holds a clone of each repository as OWNER+NAME; BENCHMARKS below names the commits. Nothing
but hashes and names of a problem enters a table. "copies" disguises about COUNT problems in each
way that tests/stages/admit/disguised_task.h knows, and compares them with the shipped tables; copies
that get through are listed. "unrelated" lists the tasks that are refused, for a reader to judge.
"""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile

from loops import BUILD, Goals

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOOPS = BUILD / "bench/decontamination_loops"
HEAD = "# kernelmill benchmark table 3\n"
DISGUISES = "names", "constants", "formatting", "order", "wrapper", "functions"
# A remark for the table, and (repository, commit, folder in it, folder in the table) for each part.
BENCHMARKS = {
    "kernelbench": ("KernelBench, levels 1 to 4: its first version (c6c4ab6e) and that of 423217d9.", [
        ("ScalingIntelligence+KernelBench", "423217d9", "KernelBench", "current"),
        ("ScalingIntelligence+KernelBench", "c6c4ab6e", "KernelBench", "original")]),
    "multikernelbench": ("MultiKernelBench (460a972c).", [
        ("wzzll123+MultiKernelBench", "460a972c", "reference", ".")]),
    "robust_kbench": ("robust-kbench (078f5bab), with its copies of KernelBench's problems.", [
        ("SakanaAI+robust-kbench", "078f5bab", "tasks", ".")]),
    "sol_execbench": ("SOL-ExecBench (8d2237d2): the problems in its repository, not its dataset.", [
        ("NVIDIA+SOL-ExecBench", "8d2237d2", "examples", "examples"),
        ("NVIDIA+SOL-ExecBench", "8d2237d2", "tests", "tests")]),
}


def unpack(checkouts, name, folder):
    for repository, commit, source, target in BENCHMARKS[name][1]:
        clone = checkouts / repository
        if not clone.exists():
            sys.exit(f"{clone} does not exist: clone {repository.replace('+', '/')} there")
        into = pathlib.Path(folder, target)
        into.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(["git", "-C", clone, "archive", f"{commit}:{source}"],
                              stdout=subprocess.PIPE, check=False)
        if done.returncode:
            sys.exit(f"{clone} has no {commit}:{source}")
        subprocess.run(["tar", "-x", "-C", into], input=done.stdout, check=True)


def tables(checkouts, names):
    for name in names or BENCHMARKS:
        with tempfile.TemporaryDirectory() as folder:
            unpack(checkouts, name, folder)
            done = subprocess.run([ROOT / "build/release/kernelmill", "generate", "--fingerprints",
                                   folder], stdout=subprocess.PIPE, text=True, check=True)
        path = ROOT / "corpora/benchmarks" / f"{name}.tsv"
        before = path.read_text("utf-8") if path.exists() else ""
        text = done.stdout.replace(HEAD, f"{HEAD}# {BENCHMARKS[name][0]}\n", 1)
        path.write_text(text, "utf-8")
        print(f"{name}: {text.count(chr(10)) - 2} lines, "
              f"{'the same as before' if text == before else 'changed'}", flush=True)
    return 0


def compare(tasks, count, disguises):
    done = subprocess.run([LOOPS, tasks, str(count), *disguises], stdout=subprocess.PIPE, text=True,
                          check=True)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    if not found:
        sys.exit(f"{tasks} holds no tasks")
    return found


def copies(checkouts, name="kernelbench", count=40):
    with tempfile.TemporaryDirectory() as folder:
        unpack(checkouts, name, folder)
        found = compare(folder, count, ("none", *DISGUISES))
    tiers = collections.Counter((one["disguise"], one["tier"]) for one in found)
    for disguise in ("none", *DISGUISES):
        print(f"{disguise}: " + ", ".join(f"{tier} {number}" for (kind, tier), number
                                          in sorted(tiers.items()) if kind == disguise))
    for one in found:
        if not one["refused"]:
            print(f"got through: {one['task']}, {one['disguise']}: {one['overlap']}, "
                  f"{'with' if one['graph'] else 'without'} a graph")
    goals = Goals()
    goals.at_most("copies that get through, %",
                  100 * sum(not one["refused"] for one in found) / len(found), 0)
    return goals.failed


def unrelated(tasks):
    found = compare(tasks, 0, ["none"])
    print(f"{len(found)} tasks, {sum(one['graph'] for one in found)} with a graph: "
          + ", ".join(f"{tier} {number}" for tier, number
                      in sorted(collections.Counter(one["tier"] for one in found).items())))
    for one in found:
        if one["refused"]:
            print(f"refused: {one['task']}: {one['overlap']}")
    goals = Goals()
    goals.at_most("refused, %", 100 * sum(one["refused"] for one in found) / len(found), 1)
    return goals.failed


def main(words):
    command, *rest = words or [""]
    if command == "tables" and rest and set(rest[1:]) <= set(BENCHMARKS):
        return tables(pathlib.Path(rest[0]), rest[1:])
    if command == "copies" and 1 <= len(rest) <= 3 and (len(rest) == 1 or rest[1] in BENCHMARKS):
        return copies(pathlib.Path(rest[0]), *rest[1:]) != 0
    if command == "unrelated" and len(rest) == 1:
        return unrelated(rest[0]) != 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
