#!/usr/bin/env python3
"""Converts public answers of models into runs that `kernelmill verify --kernelbench` reads, and
reports how many of them the CPU executor builds and decides.

    real_answers.py run SOURCE CHECKOUT FOLDER     FOLDER/KernelBench and FOLDER/run
    real_answers.py report FOLDER VERDICTS…        the shares; 1 below 95 % built or 90 % decided

SOURCE names how CHECKOUT, a clone or a bare repository, lays its answers out: "leaderboard"
(ScalingIntelligence/KernelBenchLeaderboard), "cuda_l1" (deepreinforce-ai/CUDA-L1), "filtered"
(pavanyellow/KernelBenchFiltered). A clone of hzeng2000/KernelBench has the layout of FOLDER
already. Takes only answers that contain a kernel, and every text once.
"""

import collections
import json
import pathlib
import re
import subprocess
import sys

# What the executor does not support: tensor cores, PTX, asynchronous copies, template libraries,
# grid-wide barriers. The list was fixed before the first measurement.
TOKENS = re.compile(r"\b(wmma|mma|mma_sync|asm|__asm__|cp_async|cp\.async|cute|cutlass|"
                    r"grid\.sync|this_grid|CUtensorMap|TMA)\b")
COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/|^\s*#(?!\s*(?:include|define|if|el|en|pragma|undef))[^\n]*",
                      re.S | re.M)
SAYS_NOTHING = {"unsupported", "undecided", "reference_failed", "infra"}


def git(checkout, *arguments):
    return subprocess.run(["git", "-C", checkout, *arguments], capture_output=True, text=True,
                          check=True).stdout


def leaderboard(checkout):
    """Yields (level, problem, reference, answer)."""
    for item in json.loads(git(checkout, "show", "HEAD:docs/assets/raw_data.json")):
        level, problem = item["level"], item["problem_id"] + 1  # The file counts from 0.
        yield (level, problem,
               git(checkout, "show", f"HEAD:docs/assets/problems/l{level}_p{problem}.py"),
               item["code"])


def cuda_l1(checkout):
    for device in ("3090", "a100", "h100", "h20", "l40"):
        for line in git(checkout, "show", f"HEAD:optimized_cuda_code/{device}.json").splitlines():
            item = json.loads(line)
            if item["custom_code"]:
                yield item["level_id"], item["task_id"], item["ref_code"], item["custom_code"]


def filtered(checkout):
    paths = git(checkout, "ls-tree", "-r", "--name-only", "HEAD").splitlines()
    tasks = {}
    for path in paths:
        if found := re.fullmatch(r"tasks/level_(\d+)/(\d+)_.*\.py", path):
            tasks[int(found[1]), int(found[2])] = path
    for path in paths:
        found = re.fullmatch(r"best_agent_solutions/level_(\d+)/task_(\d+)\.py", path)
        if found and (key := (int(found[1]), int(found[2]))) in tasks:
            # The answers have the names of the tasks.
            yield (*key, git(checkout, "show", f"HEAD:{tasks[key]}"),
                   git(checkout, "show", f"HEAD:{path}") + "\nModelNew = Model\n")


def run(source, checkout, folder):
    seen, samples = set(), collections.Counter()
    answers = {"leaderboard": leaderboard, "cuda_l1": cuda_l1, "filtered": filtered}[source]
    output = pathlib.Path(folder, "run")
    output.mkdir(parents=True)
    for level, problem, reference, answer in answers(checkout):
        if "__global__" not in answer or answer in seen:
            continue
        seen.add(answer)
        task = pathlib.Path(folder, "KernelBench", f"level{level}", f"{problem}_task.py")
        task.parent.mkdir(parents=True, exist_ok=True)
        task.write_text(reference)
        sample = samples[level, problem]
        samples[level, problem] += 1
        (output / f"level_{level}_problem_{problem}_sample_{sample}_kernel.py").write_text(answer)
    print(f"{len(seen)} answers to {len(samples)} tasks")


def is_for_this_executor(answer):
    return "__global__" in answer and not TOKENS.search(COMMENTS.sub("", answer))


def report(folder, *verdicts):
    statuses, reasons = collections.Counter(), collections.Counter()
    for path in verdicts:
        for line in pathlib.Path(path).read_text().splitlines():
            item = json.loads(line)
            answer = pathlib.Path(folder, "run", item["key"] + "_kernel.py").read_text()
            if not is_for_this_executor(answer):
                statuses["(not for this executor)"] += 1
                continue
            status = item["verdict"]["status"]
            statuses[status] += 1
            if status in SAYS_NOTHING | {"not_built"}:
                reasons[f"{status} {item['verdict']['reason']}"] += 1
    whole = sum(statuses.values()) - statuses["(not for this executor)"]
    for name, count in statuses.most_common():
        print(f"{count:5} {name}")
    for name, count in reasons.most_common():
        print(f"{count:5} {name}")
    built = 1 - statuses["not_built"] / whole
    decided = 1 - sum(statuses[status] for status in SAYS_NOTHING) / whole
    print(f"{whole} answers: {built:.1%} build, {decided:.1%} decided")
    return 0 if built >= 0.95 and decided >= 0.9 else 1


if __name__ == "__main__":
    sys.exit({"run": run, "report": report}[sys.argv[1]](*sys.argv[2:]))
